import { afterEach, expect, it } from 'vitest';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, said, type TestProject } from '../support/project.ts';
import type { StatusDocument } from '../../src/documents/status.ts';

let project: TestProject;
afterEach(() => project.remove());

const workflow = `
name: build
version: "1"
timeout: 1m
steps:
  one: { worker: CUSTOM, capabilities: [READ], instructions: "true" }
  two: { worker: CUSTOM, capabilities: [READ], instructions: "true", depends_on: [one] }
`;

const printed = async (args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await project.run(args);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};

const statusAt = async (moment: string): Promise<StatusDocument> =>
  JSON.parse(await printed(['status', '--json', '--at', moment])) as StatusDocument;

it('status and show tell what was, by a record, by a time, and by how long ago', async () => {
  project = playProject(smallTeam, {
    maker: `send('done', 'user', mail[0].split('---').at(-1).trim());`,
  });
  project.write('agents/maker/inbox/task.md', 'Make it\n');
  await printed(['up', '--until-idle']);
  const now = JSON.parse(await printed(['status', '--json'])) as StatusDocument;
  expect(now.at).toBeNull();
  const [thread] = now.threads;

  const begun = await statusAt('2');
  expect(begun.at).toMatchObject({ record: 2 });
  expect([begun.threads.map(({ id }) => id), begun.turns]).toEqual([[thread?.id], []]);
  expect(begun.threads[0]?.state).toBe('open');
  const last = await statusAt('0s');
  expect([last.threads, last.roles.map(({ turns }) => turns)]).toEqual([
    now.threads.map((each) => ({ ...each, why: null, worktree: last.threads[0]?.worktree })),
    now.roles.map(({ turns }) => turns),
  ]);
  expect((await statusAt(last.at?.time ?? '')).at?.record).toBe(last.at?.record);
  const printedText = await printed(['status', '--at', '2']);
  expect(printedText).toMatch(/^at {10}.*, record 2 of the journal$/m);

  const shown = await printed(['show', thread?.id ?? '', '--at', '2', '--json']);
  expect(JSON.parse(shown)).toMatchObject({ kind: 'message', thread: { state: 'open' } });
  for (const [moment, text] of [
    ['0', '--at 0 is not a moment'],
    ['soon', '--at soon is not a moment'],
    ['99999', 'the journal ends with record'],
    ['2000-01-01', 'nothing had happened at 2000-01-01'],
  ] as const)
    expect((await project.run(['status', '--at', moment])).stderr).toContain(text);
});

it('show tells of a run what it was after a record', async () => {
  project = playProject(smallTeam, {});
  project.write('workflows/build.yaml', workflow);
  await printed(['run', 'build']);
  const [run] = JSON.parse(await printed(['runs', '--json'])) as {
    runs: { run: string }[];
  }['runs'];
  const id = run?.run ?? '';
  const states = await Promise.all(
    ['1', '4', '0s'].map(async (moment) => {
      const shown = await printed(['show', id, '--at', moment, '--json']);
      return (JSON.parse(shown) as { status: string }).status;
    }),
  );
  expect(states).toEqual(['RUNNING', 'RUNNING', 'SUCCEEDED']);
  const refused = await project.run(['show', 'workflows/build.yaml', '--at', '1']);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('git has its past')]);
});

it('status shows a run that had begun before the first mail', async () => {
  project = playProject(smallTeam, { maker: `send('done', 'user', 'It is made');` });
  project.write('workflows/build.yaml', workflow);
  await printed(['run', 'build']);
  const [run] = JSON.parse(await printed(['runs', '--json'])) as { started_at: string }[];
  project.write('agents/maker/inbox/task.md', 'Make it\n');
  await printed(['up', '--until-idle']);
  const then = await statusAt(run!.started_at);
  expect([then.at?.record, then.threads, then.runs.length]).toEqual([0, [], 1]);
  const refused = await project.run(['status', '--at', '2000-01-01']);
  expect(refused.stderr).toContain('nothing had happened at 2000-01-01');
});

it('a run without a host was stopped after its last record, and not before', async () => {
  project = playProject(smallTeam, {});
  project.write('workflows/build.yaml', workflow.replace('"true"', '"echo began; exec sleep 300"'));
  const running = project.start(['run', 'build', '--plain']);
  await said(running, 'one');
  const end = finished(running);
  running.kill('SIGKILL');
  await end;
  const [run] = JSON.parse(await printed(['runs', '--json'])) as { run: string; started_at: string }[];
  const wordAt = async (moment: string) => (await statusAt(moment)).runs.map(({ standing }) => standing.word);
  expect([await wordAt(run!.started_at), await wordAt('0s')]).toEqual([['waiting'], ['stopped']]);
});
