import { expect, it } from 'vitest';
import { scriptsIn } from '../../src/kernel/scripts.ts';

const there = new Set(['build.js', 'data.json', 'tools/run.sh', 'FEATURES.md']);
const scripts = (definition: unknown) => scriptsIn(definition, (path) => there.has(path));

it.each<[string, unknown, string[]]>([
  ['a script that a shell runs', { command: ['sh', 'tools/agent.sh'] }, ['tools/agent.sh']],
  ['a program of the project', { command: ['./tools/run.sh', 'x'] }, ['./tools/run.sh']],
  ['a program with options before', { command: ['bash', '-eu', 'new.sh', 'x'] }, ['new.sh']],
  [
    'a file that follows options with values',
    { command: ['bash', '-o', 'pipefail', 'tools/run.sh'] },
    ['pipefail', 'tools/run.sh'],
  ],
  [
    'what a program runs with',
    { run: ['node', '--import', 'build.js', 'data.json'] },
    ['build.js', 'data.json'],
  ],
  ['a script behind another program', { command: ['timeout', '10', 'sh', 'later.sh'] }, ['10', 'later.sh']],
  ['a version in a name', { command: ['python3.12', 'x.py'] }, ['x.py']],
  [
    'a text of a shell',
    { command: ['sh', '-c', 'cd x && sh tools/run.sh | ./other.sh'] },
    ['tools/run.sh', './other.sh'],
  ],
  ['a script', { script: 'A=1 node build.js\n. ./env.sh' }, ['build.js', './env.sh']],
  ['a person’s notice', { notify: { user: ['sh', 'tell.sh'] } }, ['tell.sh']],
  ['deep in lists', { steps: [{ checks: [{ run: ['sh', 'gate.sh'] }] }] }, ['gate.sh']],
  ['nothing in files that a program only reads', { command: ['sed', '-i', 's/a/b/', 'FEATURES.md'] }, []],
  ['nothing in a redirection', { command: ['sh', '-c', 'echo "- one" >> FEATURES.md'] }, []],
  [
    'nothing in words',
    { instructions: 'run sh tools/run.sh', capabilities: ['READ'], files: ['FEATURES.md'] },
    [],
  ],
])('finds %s', (_, definition, expected) => {
  expect(scripts(definition)).toEqual(expected);
});
