import { afterEach, describe, expect, it } from 'vitest';
import { CliProject } from '../support/clis.ts';

let project: CliProject;
afterEach(() => project.remove());

/** Says what each answer of its model used, and never ends by itself. */
const spender = `
for (let number = 1; number <= 3; number += 1)
  event({ type: 'assistant', message: { id: 'm' + number, model: 'claude-sonnet-4-5', content: [],
    usage: { input_tokens: 400, output_tokens: 0 } } });
setInterval(() => {}, 1000);`;

const team = `
name: one
version: "1"
roles:
  maker: { provider: claude, budget: { tokens: 1000 }, retries: 2 }
messages:
  task: { from: user, to: maker }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;

interface Costs {
  readonly rows: readonly { readonly key: object; readonly launches: number; readonly cost: object }[];
}

describe('an agent that has used more tokens than its budget', () => {
  it('is ended during its turn, which is not tried again', async () => {
    project = new CliProject(
      { 'protocols/team.yaml': team, 'mailroom.yaml': 'trail: off\n' },
      { claude: spender },
    );
    project.drop('agents/maker/inbox/task.md', 'Make it\n');
    expect((await project.run(['up', '--until-idle'])).code).toBe(1);
    expect((await project.run(['trail'])).stdout).toContain('E_BUDGET');
    const costs = JSON.parse((await project.run(['costs', '--by', 'provider', '--json'])).stdout) as Costs;
    expect(costs.rows).toEqual([
      { key: { provider: 'claude' }, launches: 1, cost: { usd: 0.0036, tokens: 1200, unpriced: 0 } },
    ]);
  });

  it('is ended during its step', async () => {
    project = new CliProject(
      {
        'mailroom.yaml': 'trail: off\n',
        'work.yaml': `name: sample
version: "1"
timeout: 5m
steps:
  make:
    worker: CLAUDE_CODE
    capabilities: [READ]
    budget: { tokens: 1000 }
    instructions: Make it.
`,
      },
      { claude: spender },
    );
    const ran = await project.run(['run', 'work.yaml', '--json']);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('claude was ended because it had used up its budget');
    const costs = JSON.parse((await project.run(['costs', '--by', 'step', '--json'])).stdout) as Costs;
    expect(costs.rows).toEqual([
      { key: { step: 'make' }, launches: 1, cost: { usd: 0.0036, tokens: 1200, unpriced: 0 } },
    ]);
  });
});
