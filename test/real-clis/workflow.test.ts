import { expect, it } from 'vitest';
import { claude, codex } from './support/clis.ts';
import type { Answer } from './support/model.ts';
import { gather } from './support/team.ts';

/** A step that codex does until claude finds it complete. */
const workflow = `
name: ship
version: "1"
timeout: 5m
steps:
  count:
    worker: CODEX_CLI
    model: ${codex.model}
    capabilities: [READ, EDIT]
    instructions: Add a line to count.txt.
    completion_check:
      worker: CLAUDE_CODE
      model: ${claude.model}
      capabilities: [READ]
      instructions: Does count.txt have two lines?
    max_iterations: 3
    outputs: [{ name: count, path: count.txt, required: true }]
  after:
    command: [cat, count.txt]
    capabilities: [READ]
    depends_on: [count]
`;

it('runs a step of one program until another finds it complete', async () => {
  const { project, model, env } = await gather([claude, codex], { 'workflows/ship.yaml': workflow });
  let checks = 0;
  model.plays(({ prompt, results }): Answer => {
    const working = prompt.includes('Add a line');
    if (working && results.length === 0)
      return { say: 'I add.', tools: [codex.shell(`echo line >> '${project.root}/count.txt'`)] };
    if (working) return { say: 'Added.' };
    checks += 1;
    const check = /"check_id": "([^"]+)"/.exec(prompt)?.[1];
    return { say: JSON.stringify({ decision: checks === 2 ? 'complete' : 'incomplete', check_id: check }) };
  });

  const ran = await project.run(['run', 'ship', '--json'], env);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    status: 'SUCCEEDED',
    steps: { count: { status: 'SUCCEEDED', iterations: 2 }, after: { status: 'SUCCEEDED' } },
  });
  expect(project.read('count.txt')).toBe('line\nline\n');
  expect(project.survivors()).toEqual([]);
});
