import { describe, expect, it } from 'vitest';
import { filesRunBy, filesRunByScript, gains, mayWrite, type Powers } from '../../src/kernel/deputy.ts';

describe('a command line runs', () => {
  it.each([
    ['./build.sh', 'build.sh'],
    ['tools/../build.sh --all', 'build.sh'],
    ['sh build.sh', 'build.sh'],
    ['bash -e ./tools/build.sh x', 'tools/build.sh'],
    ['node --enable-source-maps tools/a.mjs', 'tools/a.mjs'],
    ['python3 setup.py test', 'setup.py'],
    ['sh -c ./build.sh', 'build.sh'],
    ['make', 'Makefile'],
    ['make -f build/all.mk test', 'build/all.mk'],
    ['npm test', 'package.json'],
    ['npm run build', 'package.json'],
    ['pnpm build', 'package.json'],
    ['cargo test', 'Cargo.toml'],
    ['env CI=1 sh build.sh', 'build.sh'],
    ['CI=1 sh build.sh', 'build.sh'],
    ['timeout 5m make', 'Makefile'],
    ['npx tsx tools/a.ts', 'tools/a.ts'],
    ['python -m pytest', 'conftest.py'],
  ])('%s: %s', (line, path) => {
    expect(filesRunBy(line.split(' ')).map((file) => file.path)).toEqual([path]);
  });

  it.each([
    ['echo build.sh'],
    ['git status'],
    ['/usr/bin/tool x'],
    ['npm --version'],
    ['npm view x'],
    ['sh -c ls'],
    ['node -e 1'],
    ['cat ./build.sh'],
    ['~/bin/mine'],
    ['/bin/sh /opt/x.sh'],
  ])('nothing of the project: %s', (line) => {
    expect(filesRunBy(line.split(' '))).toEqual([]);
  });

  it('nothing that is known before, where a word is not', () => {
    expect(filesRunBy(['sh', null])).toEqual([]);
    expect(filesRunBy([null, 'build.sh'])).toEqual([]);
  });
});

it('a script runs what its commands run, and the place of each is known', () => {
  const text =
    'set -e\n# ./no.sh\nif ./a.sh; then . ./b.sh; fi\n(cd tools && "./c.sh" "$X") | sh "$Y"\necho make\n';
  const found = filesRunByScript(text);
  expect(found.map(({ path }) => path)).toEqual(['a.sh', 'b.sh', 'tools/c.sh']);
  expect(found.map(({ at, length }) => text.slice(at, at + length))).toEqual([
    './a.sh',
    './b.sh',
    '"./c.sh"',
  ]);
});

it.each<[string, Powers, Powers, string[]]>([
  [
    'everything',
    { capabilities: ['READ', 'EDIT'], network: false, sandboxed: true },
    { capabilities: null, network: true, sandboxed: false },
    ['RUN_COMMANDS', 'network access', 'no sandbox'],
  ],
  [
    'tests',
    { capabilities: ['READ', 'EDIT'], network: true, sandboxed: true },
    { capabilities: ['RUN_TESTS'], network: true, sandboxed: true },
    ['RUN_TESTS'],
  ],
  [
    'nothing for one that may do the same',
    { capabilities: ['READ', 'RUN_COMMANDS'], network: true, sandboxed: true },
    { capabilities: null, network: true, sandboxed: true },
    [],
  ],
  [
    'nothing for one that nothing restricts',
    { capabilities: null, network: true, sandboxed: false },
    { capabilities: null, network: true, sandboxed: false },
    [],
  ],
])('a deputy gives %s', (_, writer, runner, got) => {
  expect(gains(writer, runner)).toEqual(got);
});

it('a role may write what lies in its folder, and no rules', () => {
  const role = (folder: string) => ({
    name: 'a',
    folder,
    capabilities: null,
    network: true,
    sandboxed: true,
  });
  const written = (folder: string) =>
    ['build.sh', 'app/build.sh', 'apple/x', 'workflows/x.yaml', '../x', '/etc/x'].filter((path) =>
      mayWrite(role(folder), path),
    );
  expect(written('.')).toEqual(['build.sh', 'app/build.sh', 'apple/x']);
  expect(written('app')).toEqual(['app/build.sh']);
});
