import { expect, it } from 'vitest';
import type { Travel } from '../../../src/host/runner/travel.ts';
import { remoteTurnOf } from '../../../src/host/runner/remote-turn.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { unmasked } from '../../../src/kernel/mask.ts';
import { readRemoteEnd } from '../../../src/letters/remote-turn.ts';
import { TurnFolders } from '../../../src/mail/mailboxes/turn-folders.ts';
import { HeldTurn, type Workplace } from '../../../src/operations/workers/held-turn.ts';
import type { HeldJob } from '../../../src/queue/channel.ts';
import { sign, verify } from '../../../src/queue/signed.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';

const key = 'the key of all hosts in this test';
const id = 'thread.t1.1.0';

/** A disk without room for any file. */
class FullDisk extends MemoryDisk {
  override write(): never {
    throw new Error('no space left on device');
  }
}

const turn = remoteTurnOf(
  {
    key: 't1/1/0',
    provider: 'play',
    noteTree: false,
    worktree: null,
    totalMs: null,
    idleMs: null,
    invocation: {
      role: 'engineer',
      thread: 'thread',
      turn: 't1',
      attempt: 1,
      round: 0,
      prompt: 'Build it',
      capabilities: [],
      owed: [],
      network: false,
      maxSteps: null,
      maxCommandTime: null,
      variant: null,
      tools: null,
      mcp: null,
      mayConfigure: false,
      asking: null,
      model: null,
      workspace: '/there/work',
      project: '/there',
      session: null,
      budget: null,
      env: {},
      paths: {
        folder: '/there/turn',
        prompt: '/there/turn/prompt.md',
        outbox: '/there/turn/outbox',
        messages: [],
        stdout: '/there/turn/stdout',
        stderr: '/there/turn/stderr',
      },
    },
  },
  { version: 'test', queue: 'engineer', begin: 'a'.repeat(40), carried: null },
  () => '',
);

it('reports a turn that its disk has no room for, with the reason', async () => {
  const disk = new FullDisk(() => 0);
  const travel: Partial<Travel> = {
    fetch: () => Promise.resolve({ ok: true, value: undefined }),
    enter: () => Promise.resolve({ ok: true, commit: 'a'.repeat(40) }),
  };
  const at: Workplace = {
    root: disk.root,
    worker: { host: 'far', id: 'w1', login: 'far' },
    version: 'test',
    labels: [],
    travel: travel as Travel,
    key,
    runner: () => expect.fail('nothing may start'),
    forbids: () => null,
    variables: () => ({}),
    folders: new TurnFolders(disk),
    mask: () => unmasked,
    maskFile: () => {},
    parking: { list: () => new Map(), park: () => {} },
    tools: null,
    now: () => 1_000,
    elapsed: () => 0,
  };
  let result: Json = null;
  const held: HeldJob = {
    role: 'engineer',
    id,
    data: sign(key, { kind: 'job', job: id, nonce: 'n1', expires: 2_000 }, turn),
    renew: () => Promise.resolve(true),
    note: () => Promise.resolve(),
    isStopping: () => Promise.resolve(false),
    finish: (given) => Promise.resolve(((result = given), true)),
    putBack: () => Promise.resolve(),
  };
  expect(await new HeldTurn(at, held).run()).toBe('ended: later');
  const signed = verify(key, result, { kind: 'result', job: id, nonce: 'n1', now: 1_000 });
  expect(signed.ok && readRemoteEnd(signed.body)).toMatchObject({
    ok: true,
    value: { outcome: { is: 'later', reason: { text: 'no space left on device' } }, work: null },
  });
});
