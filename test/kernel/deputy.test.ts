import { expect, it } from 'vitest';
import { gains, mayWrite, type Powers } from '../../src/kernel/deputy.ts';

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
