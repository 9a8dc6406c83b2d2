import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { until } from '../process/support.ts';
import { claude, codex, gemini, opencode, pi } from './support/clis.ts';
import { gather } from './support/team.ts';

const protocol = (provider: string, model: string) => `
name: lone
version: "1"
roles:
  worker: { provider: ${provider}, model: ${model}, capabilities: [READ, EDIT, RUN_COMMANDS], retries: 1 }
messages:
  task: { from: user, to: worker }
  done: { from: worker, to: user, closes: true }
start: { type: task, to: worker }
`;

interface Costs {
  readonly total: { readonly cost: { readonly tokens: number } };
}

// One request was answered before the kill, and one in the turn that followed: 1050 tokens each.
it.each([
  { cli: claude, tokens: 2100 },
  { cli: opencode, tokens: 2100 },
  { cli: pi, tokens: 2100 },
  // These tell what they use only at the end of their turn.
  { cli: codex, tokens: 1050 },
  { cli: gemini, tokens: 1050 },
])('counts $tokens tokens when $cli.name is killed with its controller', async ({ cli, tokens }) => {
  const { project, model, env } = await gather([cli], {
    'protocols/lone.yaml': protocol(cli.name, cli.model),
  });
  const begun = `${project.root}/begun`;
  let killed = false;
  let waits = false;
  model.plays(({ tools }) => {
    if (tools.length === 0) return { say: 'A title' };
    if (killed) return { say: '---\ntype: done\nto: user\n---\nDone.' };
    if (!existsSync(begun)) return { say: 'I work.', tools: [cli.shell(`touch '${begun}'`)] };
    waits = true;
    return 'silence';
  });
  project.drop('agents/worker/inbox/task.md', 'Work.\n');

  const up = project.start(['up', '--plain'], env);
  await until('it waits for its second answer', () => waits, 60_000);
  // Some write it a moment later.
  const [turn = ''] = readdirSync(`${project.root}/.mailroom/turns`);
  const printed = `${project.root}/.mailroom/turns/${turn}/1/stdout`;
  const isTold = () => /"(?:usage|tokens)":\{/.test(readFileSync(printed, 'utf8'));
  if (tokens === 2100) await until('it has told what it used', isTold);
  killed = true;
  up.kill('SIGKILL');
  await until('everything has ended', () => project.survivors().length === 0);
  expect(await project.run(['up', '--until-idle', '--plain'], env)).toMatchObject({ code: 0, stderr: '' });
  const { stdout } = await project.run(['costs', '--json'], env);
  expect((JSON.parse(stdout) as Costs).total.cost).toMatchObject({ tokens });
});

const workflow = (provider: string, model: string) => `
name: lone
version: "1"
timeout: 5m
steps:
  work: { provider: ${provider}, model: ${model}, capabilities: [READ, EDIT, RUN_COMMANDS], instructions: Work. }
`;

// One request was answered before the end of the step, and one after it: 1050 tokens each. How much
// there was of the first answer in the end is known to nobody.
it.each(['SIGKILL', 'SIGTERM'] as const)(
  'counts what a step of a workflow had reported when its host got %s',
  async (signal) => {
    const { project, model, env } = await gather([claude], {
      'workflows/lone.yaml': workflow(claude.name, claude.model),
    });
    let ended = false;
    let waits = false;
    const begun = `${project.root}/begun`;
    model.plays(({ tools }) => {
      if (tools.length === 0) return { say: 'A title' };
      if (ended) return { say: 'Done.' };
      if (!existsSync(begun)) return { say: 'I work.', tools: [claude.shell(`touch '${begun}'`)] };
      waits = true;
      return 'silence';
    });
    const running = project.start(['run', 'lone', '--plain'], env);
    await until('it waits for its second answer', () => waits, 60_000);
    const [run = ''] = readdirSync(`${project.root}/.mailroom/runs`);
    const printed = `${project.root}/.mailroom/runs/${run}/steps/work/1.1/stdout`;
    await until('it has told what it used', () => readFileSync(printed, 'utf8').includes('"usage":{'));
    ended = true;
    running.kill(signal);
    await until('everything has ended', () => project.survivors().length === 0);
    expect(await project.run(['resume', run, '--plain'], env)).toMatchObject({ code: 0 });
    const { stdout } = await project.run(['costs', '--json'], env);
    expect((JSON.parse(stdout) as Costs).total.cost).toMatchObject({ tokens: 2100, unpriced: 1 });
  },
);
