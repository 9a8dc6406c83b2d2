import { expect, it } from 'vitest';
import type { AgentRunner } from '../../../src/host/runner/runner.ts';
import type { Travel } from '../../../src/extensions/workers/travel.ts';
import { remoteTurnOf } from '../../../src/extensions/workers/remote-turn.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { unmasked } from '../../../src/kernel/mask.ts';
import { readRemoteEnd } from '../../../src/extensions/workers/letters/remote-turn.ts';
import { TurnFolders } from '../../../src/mail/mailboxes/turn-folders.ts';
import { HeldTurn, type Workplace } from '../../../src/extensions/workers/worker/held-turn.ts';
import { mostBytes, type HeldJob } from '../../../src/extensions/workers/queue/channel.ts';
import { sign, verify } from '../../../src/extensions/workers/queue/signed.ts';
import { exit } from '../../providers/samples.ts';
import { diskError } from '../../../src/disk/disk.ts';
import { Begun } from '../../../src/extensions/workers/worker/begun.ts';
import { controllerKeys, workerKeys } from './credentials.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';

const credentials = workerKeys('far');
const id = 'thread.t1.1.0';

/** A disk without room for any file. */
class FullDisk extends MemoryDisk {
  override write(path: string): never {
    throw diskError('write', path, Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
  }
}

const made = remoteTurnOf(
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
if (!made.ok) throw new Error(made.problem);
const { job } = made.value;
const turn: JsonObject = { ...made.value };

const travel: Partial<Travel> = {
  fetch: () => Promise.resolve({ ok: true, value: undefined }),
  place: () => Promise.resolve({ ok: true, value: undefined }),
};

/** A worker for agents, on which nothing may start. */
function workplace(disk: MemoryDisk): Workplace {
  return {
    root: disk.root,
    worker: { host: 'far', id: 'far.w1', login: 'far' },
    version: 'test',
    labels: ['linux'],
    travel: travel as Travel,
    credentials,
    begun: new Begun(),
    runner: () => expect.fail('nothing may start'),
    forbids: (provider) => (provider === 'play' ? null : `there is no ${provider}`),
    variables: () => ({}),
    folders: new TurnFolders(disk),
    mask: () => unmasked,
    maskFile: () => {},
    parking: { list: () => new Map(), park: () => {} },
    tools: null,
    now: () => 1_000,
    elapsed: () => 0,
  };
}

const problem = { ok: false, problem: 'git is away' } as const;
const fine = { ok: true, value: undefined } as const;
const packed = { ok: true, value: { commit: 'b'.repeat(40), head: 'b'.repeat(40) } } as const;

/** What keeps the work of an agent from being reported, by what happens. */
const unreported: Readonly<Record<string, Partial<Travel>>> = {
  'cannot be packed': { pack: () => Promise.resolve(problem) },
  'brings files that cannot be packed': {
    pack: () => Promise.resolve(packed),
    carry: () => Promise.resolve(problem),
    send: () => Promise.resolve(fine),
    clear: () => Promise.resolve(),
  },
  'cannot be sent': {
    pack: () => Promise.resolve(packed),
    carry: () => Promise.resolve({ ok: true, value: null }),
    send: () => Promise.resolve(problem),
    keep: () => Promise.resolve({ ok: true, value: 'refs/mailroom/kept/turns/one' }),
  },
  'is too large': {
    pack: () => Promise.resolve(packed),
    carry: () => Promise.resolve({ ok: true, value: null }),
    send: () => Promise.resolve(fine),
    keep: () => Promise.resolve({ ok: true, value: 'refs/mailroom/kept/turns/one' }),
  },
};

/** Has a worker hold a job, and returns what it says of it, and how it reports the end. */
async function worked(
  disk: MemoryDisk,
  role: string,
  body: JsonObject,
  at: (turn: () => HeldTurn) => Workplace = () => workplace(disk),
  { worker = 'far.w1', isHeld = true } = {},
) {
  let result: Json = null;
  const about = { kind: 'grant', job: id, nonce: 'n1', expires: 2_000 } as const;
  const granted = sign(controllerKeys, about, { worker });
  const held: HeldJob = {
    role,
    id,
    data: sign(controllerKeys, { kind: 'job', job: id, nonce: 'n1', expires: 2_000 }, body),
    renew: () => Promise.resolve(isHeld),
    note: () => Promise.resolve(),
    asked: () => Promise.resolve({ stopping: false, granted }),
    finish: (given) => Promise.resolve(((result = given), true)),
    putBack: () => Promise.resolve(),
  };
  const doing: HeldTurn = new HeldTurn(
    at(() => doing),
    held,
  );
  const said = await doing.run();
  const signed = verify(controllerKeys, result, { kind: 'result', job: id, nonce: 'n1', now: 1_000 });
  const read = signed.ok ? readRemoteEnd(signed.body) : signed;
  return { said, end: read.ok ? read.value : null };
}

it('begins a job once, also where the queue has it again', async () => {
  const disk = new MemoryDisk(() => 0);
  const begun = new Begun();
  begun.add(id, 'n1');
  const { said } = await worked(disk, 'engineer', turn, () => ({ ...workplace(disk), begun }));
  expect(said).toBe('was not begun again: somebody has put it back');
});

it('begins nothing that the controller has confirmed to another start of it alone', async () => {
  const disk = new MemoryDisk(() => 0);
  let elapsed = 0;
  // It asks once more than it is patient for.
  const impatient = () => ({ ...workplace(disk), elapsed: () => (elapsed += 10_000) });
  const { said } = await worked(disk, 'engineer', turn, impatient, { worker: 'far.w2' });
  expect(said).toMatch(/^was not begun: its controller has not confirmed it/);
});

it('begins nothing that another worker has by now', async () => {
  const disk = new MemoryDisk(() => 0);
  let elapsed = 0;
  const late = () => ({ ...workplace(disk), elapsed: () => (elapsed += 1_000) });
  const { said } = await worked(disk, 'engineer', turn, late, { isHeld: false });
  expect(said).toContain('was taken from this worker');
});

it('leaves a turn that its disk has no room for to other workers, with the reason', async () => {
  const { said, end } = await worked(new FullDisk(() => 0), 'engineer', turn);
  expect(said).toMatch(/^was left to other workers: .*no space left on device/);
  expect(end).toBeNull();
});

it.each(['No space left on device', 'spawn git EMFILE'])(
  'leaves a turn whose checkout it has no room for to other workers: %s',
  async (fault) => {
    const disk = new MemoryDisk(() => 0);
    const place = () => Promise.resolve({ ok: false, problem: fault } as const);
    const full = () => ({ ...workplace(disk), travel: { ...travel, place } as Travel });
    const { said, end } = await worked(disk, 'engineer', turn, full);
    expect([said, end]).toEqual([`was left to other workers: ${fault}`, null]);
  },
);

it('leaves a turn to other workers whose agent this machine could not start', async () => {
  const disk = new MemoryDisk(() => 0);
  const runner = (turnOf: () => HeldTurn): AgentRunner => ({
    start: () => queueMicrotask(() => turnOf().held('no room (EAGAIN)')),
    release: () => {},
    stop: () => {},
    leave: () => expect.fail('nothing leaves it'),
    forget: () => {},
  });
  const { said, end } = await worked(disk, 'engineer', turn, (turnOf) => ({
    ...workplace(disk),
    runner: () => runner(turnOf),
  }));
  expect([said, end]).toEqual(['was left to other workers: no room (EAGAIN)', null]);
});

const program = { argv: ['rm', '-r', '/'], stdin: '', files: {}, capabilities: null };

it.each<[string, string, JsonObject, string]>([
  [
    'of another version',
    'engineer',
    { version: 'old' },
    'version old of Mailroom, and this worker version test',
  ],
  ['of another role', 'engineer', { queue: 'qa' }, 'it is of qa, in the queue of engineer'],
  ['with labels that it has not', 'engineer', { labels: ['linux', 'gpu'] }, 'it needs the labels gpu'],
  ['of a provider that it has not', 'engineer', { job: { ...job, provider: 'other' } }, 'there is no other'],
  [
    'with a command line',
    'engineer',
    { job: { ...job, program, provider: '' } },
    'it is of another kind than engineer',
  ],
  [
    'with a command line among those of agents',
    '+agents+play',
    { queue: '+agents+play', job: { ...job, program, provider: '' } },
    'it is of another kind than +agents+play',
  ],
  ['of an agent among commands', '+commands', { queue: '+commands' }, 'it is of another kind than +commands'],
  ['with secrets that it has not', 'engineer', { secrets: ['TOKEN'] }, 'does not have TOKEN'],
  [
    'whose id leaves its folder',
    'engineer',
    { job: { ...job, invocation: { ...job.invocation, turn: '../t1' } } },
    'an id of letters',
  ],
])('refuses a job %s at once', async (...[, role, change, reason]) => {
  const { said, end } = await worked(new MemoryDisk(() => 0), role, { ...turn, ...change });
  expect(said).toContain('was refused: ');
  expect(end).toMatchObject({
    outcome: { is: 'later', reason: { code: 'E_WORKER', text: expect.stringContaining(reason) as string } },
    work: null,
  });
});

it.each(Object.keys(unreported))('reports what an agent used whose work %s', async (how) => {
  const disk = new MemoryDisk(() => 0);
  const usage = { usd: 1.5, tokens: 300 };
  const text = how === 'is too large' ? 'x'.repeat(mostBytes) : 'done';
  const outcome = { is: 'done', text, session: null, usage, model: null, denials: [] } as const;
  const runner = (turnOf: () => HeldTurn): AgentRunner => ({
    start: () => queueMicrotask(() => turnOf().ended([outcome, exit(), new Map(), null])),
    release: () => {},
    stop: () => expect.fail('nothing stops it'),
    leave: () => expect.fail('nothing leaves it'),
    forget: () => {},
  });
  const { end } = await worked(disk, 'engineer', turn, (turnOf) => ({
    ...workplace(disk),
    travel: { ...travel, ...unreported[how] } as Travel,
    runner: () => runner(turnOf),
  }));
  expect(end?.outcome).toMatchObject({ is: 'later', reason: { code: 'E_WORKER' }, usage });
});
