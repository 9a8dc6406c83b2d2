import { describe, expect, it } from 'vitest';
import { listPrunable, type Prunable } from '../../src/project/prune.ts';
import { removeOldTemporaries } from '../../src/project/definition/project-files.ts';
import { prune } from '../../src/project/prune.ts';
import { formatMessage } from '../../src/mail/format/message-text.ts';
import { emptyState, type MailState, type Thread } from '../../src/mail/machine/state.ts';
import { writeTriggers } from '../../src/workflow/triggers/memory-files.ts';
import { noMemory } from '../../src/workflow/machine/triggers/memory.ts';
import type { RealDisk } from '../../src/disk/real-disk.ts';
import { MemoryDisk } from '../support/memory-disk.ts';

const day = 86_400_000;
const now = 100 * day;
const worktrees = { list: () => Promise.resolve([]), remove: () => Promise.resolve() };

const message = (thread: string) =>
  formatMessage({
    id: thread,
    type: 'task',
    from: 'user',
    to: ['maker'],
    thread,
    inReplyTo: null,
    subject: 'Do it',
    created: 0,
    work: null,
    attachments: [],
    fields: {},
    extra: {},
    body: 'Do it.\n',
  });

const open = '019f2c4a-0000-7000-8000-000000000001';
const over = '019f2c4a-0000-7000-8000-000000000002';

function stateWith(
  threads: readonly (readonly [string, Thread['state']])[],
  turns: readonly string[] = [],
): MailState {
  const state = emptyState();
  for (const [id, is] of threads) state.threads.set(id, { id, state: is } as Thread);
  for (const id of turns) state.turns.set(id, {} as never);
  return state;
}

/** A project with a turn of an open thread, one of an ended one, one that runs and one of today. */
function project(): MemoryDisk {
  const disk = new MemoryDisk();
  disk.now = () => 10 * day;
  disk.plant('.mailroom/turns/t1/1/messages/a.md', message(open));
  disk.plant('.mailroom/turns/t2/1/messages/a.md', message(over));
  disk.plant('.mailroom/turns/t2/1/stdout', '12345');
  disk.plant('.mailroom/turns/t3/1/prompt.md', 'Words');
  disk.now = () => now - 1;
  disk.plant('.mailroom/turns/t4/1/prompt.md', 'Words');
  disk.now = () => now;
  return disk;
}

const scope = (state: MailState) => ({ state, before: now - 30 * day, worktrees });

/** `t2: null` for what can be removed, else the reason. */
const reasons = (found: readonly Prunable[]) => Object.fromEntries(found.map(({ id, kept }) => [id, kept]));

describe('what is old', () => {
  it('is removed of ended threads only, and of turns that have ended', async () => {
    const state = stateWith(
      [
        [open, 'open'],
        [over, 'closed'],
      ],
      ['t3'],
    );
    const found = await listPrunable(project(), ['turns'], scope(state));
    expect(reasons(found)).toEqual({ t1: `its thread ${open} is open`, t2: null, t3: 'it has not ended' });
    expect(found.find(({ id }) => id === 't2')?.bytes).toBe(Buffer.byteLength(message(over)) + 5);
    expect(await listPrunable(project(), ['runs', 'worktrees'], scope(state))).toEqual([]);
  });

  it('stays where git does not know its files, or a thread is open', async () => {
    const disk = project();
    const trees = [
      { thread: open, uncommitted: 0 },
      { thread: over, uncommitted: 2 },
      { thread: 'unclear', uncommitted: null },
      { thread: 'clean', uncommitted: 0 },
    ].map((each) => ({
      ...each,
      role: null,
      branch: '',
      unmerged: 3,
      path: `.mailroom/worktrees/${each.thread}`,
    }));
    disk.now = () => 10 * day;
    for (const { path } of trees) disk.plant(`${path}/file`, '');
    disk.now = () => now;
    const context = {
      ...scope(stateWith([[open, 'open']])),
      worktrees: { ...worktrees, list: () => Promise.resolve(trees) },
    };
    expect(reasons(await listPrunable(disk, ['worktrees'], context))).toEqual({
      [open]: 'its thread is open',
      [over]: '2 of its files are not committed',
      unclear: 'some of its files are not committed',
      clean: null,
    });
  });
});

describe('a turn that is removed', () => {
  it('is there whole or not at all after a crash, and the next start removes the rest', async () => {
    for (let crash = 1; ; crash += 1) {
      const disk = project();
      const [item] = (await listPrunable(disk, ['turns'], scope(emptyState()))).filter(
        ({ id }) => id === 't2',
      );
      let count = 0;
      disk.before = () => {
        count += 1;
        if (count === crash) throw new Error('killed');
      };
      const killed = await prune(disk as unknown as RealDisk, item!, scope(emptyState())).then(
        () => false,
        () => true,
      );
      disk.crash();
      disk.before = null;
      const left = disk.list('.mailroom/turns/t2');
      if (left !== null)
        expect(disk.list('.mailroom/turns/t2/1')?.toSorted()).toEqual(['messages', 'stdout']);
      removeOldTemporaries(disk, now);
      expect(disk.list('.mailroom/tmp') ?? []).toEqual([]);
      if (!killed) {
        expect(left).toBeNull();
        return;
      }
    }
  });
});

it('keeps a run that a trigger has started, without which it would start again', async () => {
  const disk = new MemoryDisk();
  disk.now = () => 10 * day;
  const card = (run: string) =>
    JSON.stringify({
      run,
      workflow: 'w',
      workspace: '/',
      source: null,
      startedBy: 'up',
      person: null,
      startedAt: 1,
    });
  for (const run of ['run-1', 'run-2']) {
    disk.plant(`.mailroom/runs/${run}/run.json`, card(run));
    disk.plant(`.mailroom/runs/${run}/journal/000000000001.log`, 'x {"event":{"type":"closed"}}\n');
  }
  writeTriggers(disk, 'workflows/w.yaml', {
    ...noMemory,
    going: { run: 'run-1', trigger: 't', at: 1, count: 1, data: {} },
  });
  disk.now = () => now;
  const found = reasons(await listPrunable(disk, ['runs'], scope(emptyState())));
  expect(found['run-1']).toBe('a trigger refers to it');
  expect(found['run-2']).toContain('definition is missing or damaged');
});
