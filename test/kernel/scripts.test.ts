import { describe, expect, it } from 'vitest';
import { filesRunBy, filesRunByScript, scriptsIn } from '../../src/kernel/scripts.ts';

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

describe('a definition names', () => {
  it.each<[string, unknown, string[]]>([
    ['a script that a shell runs', { command: ['sh', 'tools/agent.sh'] }, ['tools/agent.sh']],
    ['a program of the project', { command: ['./tools/run.sh', 'x'] }, ['tools/run.sh']],
    [
      'a text of a shell',
      { command: ['sh', '-c', 'cd x && sh run.sh | ./other.sh'] },
      ['x/run.sh', 'x/other.sh'],
    ],
    ['a script', { script: 'A=1 node build.js\n. ./env.sh' }, ['build.js', 'env.sh']],
    ['a program that notifies a person', { notify: { user: ['sh', 'say.sh'] } }, ['say.sh']],
    ['one deep in lists', { steps: [{ checks: [{ run: ['sh', 'gate.sh'] }] }] }, ['gate.sh']],
    ['no file that a program finds by itself', { command: ['npm', 'test'], run: 'make' }, []],
    ['no file that a program only reads', { command: ['sed', '-i', 's/a/b/', 'FEATURES.md'] }, []],
    ['no redirection', { command: ['sh', '-c', 'echo "- one" >> FEATURES.md'] }, []],
    ['no words', { instructions: 'sh tools/run.sh', capabilities: ['READ'], files: ['a.md'] }, []],
  ])('%s', (_, definition, expected) => {
    expect(scriptsIn(definition)).toEqual(expected);
  });
});
