import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { Followed } from '../../../../src/extensions/workers/controller/followed.ts';
import { QueuedResults } from '../../../../src/extensions/workers/controller/queued-results.ts';
import { refsOf } from '../../../../src/extensions/workers/remote-turn.ts';
import type { AgentJob } from '../../../../src/host/runner/runner.ts';
import { GitTravel, type Travel } from '../../../../src/extensions/workers/travel.ts';
import { roleBranch } from '../../../../src/kernel/work.ts';
import { sign } from '../../../../src/extensions/workers/queue/signed.ts';
import type { JobName, JobState } from '../../../../src/extensions/workers/queue/channel.ts';
import { commitOf, project, thread } from '../../../git/roles-at-work.ts';
import { exit, invocation } from '../../../providers/samples.ts';
import { controllerKeys, workerKeys } from '../credentials.ts';

const worker = { id: 'one.1', host: 'one', login: 'one' };

/** A checkout in which a turn began, and the commits that a worker can name. */
async function bed() {
  const { root, git, role } = project();
  const shared = join(dirname(root), 'shared.git');
  git('init', '-q', '--bare', shared);
  const maker = role('maker');
  const older = await maker.does({ 'earlier.txt': 'earlier\n' });
  await maker.does({ 'begun.txt': 'begun\n' });
  const begun = commitOf(await maker.enter());
  const commits = {
    begun,
    older,
    work: await role('worker').does({ 'work.txt': 'work\n' }, [begun]),
    /** Of another branch, which has what the turn began with. */
    later: await role('later').does({ 'later.txt': 'later\n' }, [begun]),
    /** Of one that has not. */
    other: await role('other').does({ 'other.txt': 'other\n' }),
  };
  return { root, shared, git, maker, commits };
}

type Bed = Awaited<ReturnType<typeof bed>>;
type Commit = keyof Bed['commits'];
type Sent = { readonly begin?: Commit; readonly end?: Commit };

/** What comes of a result that names a commit after these were sent. */
async function taken({ root, shared, git, maker, commits }: Bed, names: Commit, sent: Sent) {
  maker.git('reset', '-q', '--hard', commits.begun);
  const name = { role: 'maker', id: `${thread}.t1.1.0.${randomUUID()}` };
  const { beginRef, endRef } = refsOf(name);
  const refs = [
    [sent.begin, beginRef],
    [sent.end, endRef],
  ] as const;
  for (const [commit, ref] of refs)
    if (commit !== undefined) git('push', '-q', shared, `${commits[commit]}:${ref}`);
  mkdirSync(join(root, '.mailroom/turns'), { recursive: true });
  const job = jobIn(root, maker.path);
  const results = resultsAt(root, shared);
  const text = textOf(await results.take(followed(job, name), said(commits[names], name), 'n'));
  const ref = git('rev-parse', maker.ref);
  const plain = Object.entries(commits).reduce((all, [is, id]) => all.replaceAll(id, is), text);
  return { text: plain, at: Object.entries(commits).find(([, id]) => id === ref)?.[0] };
}

function jobIn(root: string, workspace: string): AgentJob {
  const folder = join(root, '.mailroom/turns');
  const paths = { ...invocation().paths, stdout: join(folder, 'stdout'), stderr: join(folder, 'stderr') };
  return {
    key: 't1',
    provider: 'play',
    invocation: invocation({ role: 'maker', thread, turn: 't1', workspace, project: root, paths }),
    entered: { turn: 't1', role: 'maker', thread, branch: roleBranch(thread, 'maker') },
    totalMs: null,
    idleMs: null,
    noteTree: false,
    worktree: null,
  };
}

/** What came of a result, in words. */
function textOf(end: Awaited<ReturnType<QueuedResults['take']>>): string {
  const [outcome] = Array.isArray(end) ? end : expect.fail(String(end));
  return outcome.is === 'done' ? 'done' : outcome.reason.text;
}

function resultsAt(root: string, git: string): QueuedResults {
  const travel = new GitTravel({ project: root, git, isOrigin: false, secrets: [] });
  const options = { travel, credentials: controllerKeys, patience: 0, now: () => 0, elapsed: () => 0 };
  return new QueuedResults(options, () => {});
}

/** As a host has it that was started after the turn had begun. */
function followed(job: AgentJob, name: JobName): Followed {
  const left = new Promise<null>(() => {});
  const state = {
    released: true,
    reported: true,
    ending: 'no',
    failingSince: Infinity,
    stirred: false,
  } as const;
  return { job, name, ...state, worker: worker.id, begun: null, wake: () => {}, left, depart: () => {} };
}

/** What the worker reports, signed as it should be. */
function said(commit: string, name: JobName): Extract<JobState, { is: 'done' }> {
  const { code, signal, ended, error, stdout, stderr, durationMs } = exit();
  const outcome = { is: 'done', text: '', usage: { usd: 0, tokens: 0 }, model: null, denials: [] };
  const body = {
    worker,
    outcome,
    exit: { code, signal, ended, error, durationMs, stdout, stderr },
    staged: [],
    changed: [],
    work: { commit, head: commit },
    files: null,
  };
  const result = sign(workerKeys('one'), { kind: 'result', job: name.id, nonce: 'n', expires: 1 }, body);
  return { is: 'done', result, bytes: JSON.stringify(result).length };
}

it('takes the commit that a worker has sent and made of what it began with, and names any other', async () => {
  const given: readonly (readonly [Commit, Sent, string])[] = [
    // An older commit, sent and not.
    ['older', { begin: 'begun', end: 'older' }, 'older does not contain begun, which the turn began with'],
    ['older', { begin: 'begun' }, 'it names the commit older, and its worker has sent begun'],
    // One of another branch.
    ['other', { begin: 'begun', end: 'other' }, 'other does not contain begun, which the turn began with'],
    ['later', { begin: 'begun', end: 'work' }, 'it names the commit later, and its worker has sent work'],
    ['later', {}, 'it names the commit later, and its worker has sent none'],
    ['work', { begin: 'begun', end: 'work' }, 'done'],
    ['begun', { begin: 'begun' }, 'done'],
    // A branch of the shared repository has it.
    ['begun', {}, 'done'],
  ];
  const at = await bed();
  for (const [names, sent, what] of given)
    expect(await taken(at, names, sent)).toEqual(
      what === 'done' ? { text: 'done', at: names } : { text: `its work was refused: ${what}`, at: 'begun' },
    );
});

it.each([
  [{ worker: 'two.1' }, {}, 'it is of another worker than the one that has the job'],
  [{ worker: null }, {}, 'its worker was not allowed to begin'],
  [{}, { bytes: 2_000_000 }, 'it has 2000000 bytes, and the queue carries at most 1000000'],
])('refuses a signed result before anything of it is looked at: %j %j', async (had, reported, problem) => {
  const name = { role: 'maker', id: `${thread}.t1.1.0.${randomUUID()}` };
  const job = jobIn('/nowhere', '/nowhere/checkout');
  const given = { ...said('0'.repeat(40), name), ...reported };
  const end = await resultsAt('/nowhere', '/nowhere').take({ ...followed(job, name), ...had }, given, 'n');
  expect(textOf(end)).toBe(`the result of its worker was refused: ${problem}`);
});

it('takes a result later that this machine has no room for now', async () => {
  const name = { role: 'maker', id: `${thread}.t1.1.0.${randomUUID()}` };
  const job = jobIn('/nowhere', '/nowhere/checkout');
  const fault = { ok: false, problem: 'No space left on device', resolving: null } as const;
  const commit = 'c'.repeat(40);
  const travel: Partial<Travel> = {
    take: () => Promise.resolve({ ok: true, value: commit }),
    unpack: () => Promise.resolve(fault),
  };
  const problems: (string | null)[] = [];
  const options = { credentials: controllerKeys, patience: 0, now: () => 0, elapsed: () => 0 };
  const results = new QueuedResults({ ...options, travel: travel as Travel }, (problem) =>
    problems.push(problem),
  );
  expect(await results.take(followed(job, name), said(commit, name), 'n')).toBeNull();
  expect(problems.at(-1)).toBe('No space left on device');
});
