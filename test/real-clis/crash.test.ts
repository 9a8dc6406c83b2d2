import { expect, it } from 'vitest';
import { appears } from '../support/appears.ts';
import { processesNaming, until } from '../process/support.ts';
import { claude, codex, gemini, pi } from './support/clis.ts';
import { gather } from './support/team.ts';

const protocol = (provider: string, model: string) => `
name: lone
version: "1"
roles:
  worker: { provider: ${provider}, model: ${model}, capabilities: [READ, EDIT, RUN_COMMANDS], retries: 0 }
messages:
  task: { from: user, to: worker }
  done: { from: worker, to: user, closes: true }
start: { type: task, to: worker }
`;

it.each([claude, codex, gemini, pi])(
  'leaves nothing of $name alive when the controller is killed in a tool',
  async (cli) => {
    const { project, model, env } = await gather([cli], {
      'protocols/lone.yaml': protocol(cli.name, cli.model),
    });
    // A name that no other process of the machine has.
    const nap = `4242${process.pid}`;
    const tool = `trap "" TERM INT HUP; (setsid sleep ${nap}.1 &) ; touch '${project.root}/begun'; sleep ${nap}.2`;
    model.says({ say: 'I work.', tools: [cli.shell(tool)] }, 'silence');
    project.drop('agents/worker/inbox/task.md', 'Work.\n');

    const up = project.start(['up', '--plain'], env);
    await appears(`${project.root}/begun`);
    expect(processesNaming(nap)).not.toEqual([]);
    up.kill('SIGKILL');
    await until('everything has ended', () => processesNaming(nap).length + project.survivors().length === 0);
    expect(project.survivors()).toEqual([]);
  },
);
