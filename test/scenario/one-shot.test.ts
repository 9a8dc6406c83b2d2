import { afterEach, describe, expect, it } from 'vitest';
import { TestProject } from '../support/project.ts';

let project: TestProject | null = null;

afterEach(() => {
  const left = project?.survivors() ?? [];
  project?.remove();
  project = null;
  if (left.length > 0) throw new Error(`still running: ${left.join(', ')}`);
});

/** An agent that prints the last line of its task, and makes a file. */
const agent = `
const { writeFileSync } = require('node:fs');
let task = '';
process.stdin.on('data', (part) => (task += part));
process.stdin.on('end', () => {
  writeFileSync('made.txt', 'made');
  console.log(task.includes('twice \${{ this }}') ? 'done: it was literal' : 'the task is not in: ' + task);
});
`;

const config = 'trail: off\nproviders: { echo: { command: [node, agent.cjs] } }\n';

function projectOf(more: Readonly<Record<string, string>> = {}): TestProject {
  return (project = new TestProject({ 'mailroom.yaml': config, 'agent.cjs': agent, ...more }));
}

describe('`run --agent`', () => {
  it('gives an agent the text as it is, and prints its answer', async () => {
    const place = projectOf();
    const { code, stdout } = await place.run(['run', '--agent', 'echo', 'Say it twice ${{ this }}']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/run \S+ SUCCEEDED[^]*\ndone: it was literal\n$/);
    expect(place.read('made.txt')).toBe('made');
    expect(place.list('.')).not.toContain('context');
    const { stdout: runs } = await place.run(['runs']);
    expect(runs).toContain('echo: Say it twice');
  });

  it('ends with the document of a run', async () => {
    const place = projectOf();
    const { stdout } = await place.run(['run', '--agent', 'echo', '--json', 'twice ${{ this }}']);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'SUCCEEDED',
      steps: { work: { status: 'SUCCEEDED' } },
    });
  });

  it.each([
    [['--agent', 'ecco', 'x'], 'no agent is called `ecco`'],
    [['--agent', 'echo', ' '], 'the task is empty'],
    [['--agent', 'echo', '--param', 'a=b', 'x'], '`--param` does nothing with `--agent`'],
    [['--agent', 'echo', '--context-file', 'a', 'x'], '`--context-file` does nothing with `--agent`'],
    [['--agent', 'echo', '--capabilities', 'READ,WRITE', 'x'], '`--capabilities` must be a list of READ'],
    [['--agent', 'echo', '--timeout', 'soon', 'x'], '`--timeout` must be a duration such as 30m'],
    [['--model', 'opus', 'x'], '`--model` does nothing without `--agent`'],
  ])('refuses %j', async (words, message) => {
    const { code, stderr } = await projectOf().run(['run', ...words]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});
