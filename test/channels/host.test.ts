import { expect, it } from 'vitest';
import { ChannelHost, type ChannelPorts } from '../../src/channels/host/channel-host.ts';
import { Marks } from '../../src/channels/host/marks.ts';
import { newMemory } from '../../src/channels/machine/memory.ts';
import {
  ChannelError,
  type Channel,
  type Incoming,
  type Item,
  type Post,
  type Status,
} from '../../src/channels/machine/contract.ts';
import type { GithubChannel } from '../../src/config/config.ts';
import { MailroomError } from '../../src/kernel/errors.ts';
import { readChannelMemory, type ChannelMemory } from '../../src/letters/channel-memory.ts';

const start = 1_700_000_000_000;
const settings: GithubChannel = {
  name: 'github',
  kind: 'github',
  people: new Map([['ada', 'user']]),
  approvers: ['ada'],
  poll: 60_000,
  to: null,
  secret: 'TOKEN',
  repository: 'acme/shop',
  label: 'mailroom',
  base: null,
  api: 'https://api.example',
  git: null,
};

const item = (key: string, kind: Item['kind'], replyTypes: readonly string[]): Item => ({
  key,
  kind,
  to: ['user'],
  thread: kind === 'approval' ? null : 'thread',
  from: 'maker',
  type: 'question',
  subject: key,
  body: '',
  deadline: null,
  onTimeout: null,
  replyTypes,
  fields: {},
  command: 'mailroom inbox',
  delivery: null,
});

/** The process was killed. */
class Killed extends Error {}

/** What lies outside of the process: the channel, the mail, and the file of the memory. */
class World {
  durable: ChannelMemory = newMemory('github', start);
  readonly posted: (Post & { readonly conversation: string })[] = [];
  /** What took effect, by its mark. */
  readonly effects = new Map<string, string>();
  readonly incoming: Incoming[] = [];
  readonly reported: Status[] = [];
  /** How the thread is. */
  standing = 'In work';
  items: Item[] = [];
  failure: Error | null = null;
  refusal: MailroomError | null = null;
  /** What happens while it receives. */
  receiving = (): void | Promise<void> => {};
  /** Called when the host rests. */
  rested = () => {};
  /** How many effects outside are left until the process is killed. */
  left = Infinity;

  /** Runs a host until it rests, or is killed. */
  async run(): Promise<ChannelHost | 'killed'> {
    let killed = false;
    const rest = this.rests();
    const ports: ChannelPorts = {
      now: () => start,
      write: (memory) => {
        this.#step();
        this.durable = memory;
      },
      items: () => Promise.resolve(this.items),
      standings: (threads) => {
        const standing = { text: this.standing, isOver: this.standing === 'Done' };
        return Promise.resolve(new Map([...threads].map((thread) => [thread, standing])));
      },
      threadOf: (mark) => (this.effects.has(mark) ? 'thread' : null),
      tookEffect: (_key, mark) => this.effects.has(mark),
      task: (_role, { subject }, mark) => this.#do(mark, `task ${subject}`).then(() => null),
      answer: ({ item: { key }, text }, mark) => this.#answer(key, mark, `answer ${text}`),
      approve: ({ item: { key }, type }, mark) => this.#answer(key, mark, `${String(type)} ${key}`),
      rested: () => this.rested(),
      failed: (error) => {
        if (!(error instanceof Killed)) throw error;
        killed = true;
      },
    };
    const parts = { marks: new Marks('key'), memory: this.durable, ports };
    const host = new ChannelHost(settings, this.#channel(), parts);
    host.wake();
    await rest;
    return killed ? 'killed' : host;
  }

  rests(): Promise<void> {
    return new Promise((resolve) => (this.rested = resolve));
  }

  #channel(): Channel {
    return {
      send: async (post) => {
        if (this.failure !== null) throw this.failure;
        const conversation = post.conversation ?? `begun by ${post.key}`;
        this.posted.push({ ...post, conversation });
        this.#step();
        return { reference: `ref-${post.key}`, conversation };
      },
      find: async ({ key }) => {
        const found = this.posted.find((post) => post.key === key);
        return found === undefined ? null : { reference: `ref-${key}`, conversation: found.conversation };
      },
      report: async (status) => {
        if (this.failure !== null) throw this.failure;
        const at = this.reported.findIndex(({ key }) => key === status.key);
        if (at < 0) this.reported.push(status);
        else this.reported[at] = status;
        this.#step();
        return `ref-${status.key}`;
      },
      receive: async () => {
        await this.receiving();
        return { incoming: this.incoming, unread: [], cursor: 1 };
      },
      hasNews: false,
      listen: () => {},
      confirm: () => {},
      close: () => Promise.resolve(),
    };
  }

  async #answer(key: string, mark: string, effect: string): Promise<void> {
    if (this.refusal === null) this.items = this.items.filter((each) => each.key !== key);
    await this.#do(mark, effect);
  }

  async #do(mark: string, effect: string): Promise<void> {
    if (this.refusal !== null) throw this.refusal;
    this.effects.set(mark, effect);
    this.#step();
  }

  #step(): void {
    this.left -= 1;
    if (this.left < 0) throw new Killed();
  }
}

const reply = (id: string, conversation: string, text: string): Incoming => ({
  id,
  kind: id.startsWith('issue') ? 'task' : 'reply',
  conversation,
  answers: null,
  author: 'ada',
  writer: 'ada',
  forged: null,
  subject: 'Paint it',
  text,
});

/** A task that is taken, a question and an approval that are asked and answered; killed after so many effects. */
async function play(killedAfter: number): Promise<{ readonly world: World; readonly kills: number }> {
  const world = new World();
  let kills = 0;
  const settle = async () => {
    while ((await world.run()) === 'killed') {
      kills += 1;
      world.left = Infinity;
    }
  };
  world.left = killedAfter;
  world.incoming.push(reply('issue-1', '1', 'Please'));
  await settle();
  world.items = [
    item('0190-question', 'request', ['answer']),
    item('0190-run/gate', 'approval', ['approve', 'reject']),
  ];
  await settle();
  world.incoming.push(
    reply('comment-1', '1', 'Blue'),
    reply('comment-2', 'begun by 0190-run/gate', '/approve'),
    reply('comment-3', '1', '/answer\nRed'),
  );
  world.standing = 'Done';
  await settle();
  return { world, kills };
}

it('sends and does everything once, wherever it is killed', async () => {
  const whole = await play(Infinity);
  const effects = [...whole.world.effects.values()];
  expect(effects).toEqual(['task Paint it', 'answer Blue', 'approve 0190-run/gate']);
  const keys = whole.world.posted.map(({ key }) => key);
  expect(keys).toEqual(['0190-question', '0190-run/gate', 'reply-comment-3']);
  expect(whole.world.posted[0]?.conversation).toBe('1');
  const statuses = ({ reported }: World) => reported.map(({ key, text }) => `${key}: ${text}`);
  expect(statuses(whole.world)).toEqual(['status-1: Done']);
  let kills = 0;
  for (let after = 0; ; after += 1) {
    const { world, kills: more } = await play(after);
    kills += more;
    expect([...world.effects.values()]).toEqual(effects);
    expect(world.posted.map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
    expect(statuses(world)).toEqual(['status-1: Done']);
    if (more === 0) break;
  }
  expect(kills).toBeGreaterThan(20);
});

it('keeps what it cannot send, says so, and names what the channel will never take', async () => {
  const world = new World();
  world.items = [item('0190-a', 'request', ['answer']), item('0190-b', 'notice', [])];
  world.failure = new ChannelError('no way');
  const down = await world.run();
  expect(down === 'killed' ? [] : down.problems()).toEqual([
    'channel github is down since 2023-11-14T22:13:20.000Z, and 2 messages wait for it: no way',
  ]);
  expect(world.durable.down).toMatchObject({ problem: 'no way' });
  expect(down === 'killed' ? null : down.recoveries()).toEqual([]);
  world.failure = new ChannelError('the issue is gone', { refused: true });
  const refused = await world.run();
  expect(refused === 'killed' ? [] : refused.problems()).toEqual([
    'channel github does not take “0190-a”: the issue is gone',
    'channel github does not take “0190-b”: the issue is gone',
  ]);
});

it('says that it works again, as long as it does', async () => {
  const world = new World();
  world.items = [item('0190-a', 'request', ['answer'])];
  const recoveries = async () => {
    const host = await world.run();
    return host === 'killed' ? null : host.recoveries();
  };
  expect(await recoveries()).toEqual([]);
  world.failure = new ChannelError('no way');
  world.items = [...world.items, item('0190-b', 'request', ['answer'])];
  expect(await recoveries()).toEqual([]);
  world.failure = null;
  expect(await recoveries()).toEqual([
    'channel github works again; it was down since 2023-11-14T22:13:20.000Z',
  ]);
  expect(await recoveries()).toEqual([]);
});

it('tells the person what the protocol forbids, and records it', async () => {
  const world = new World();
  world.refusal = new MailroomError('E_FORBIDDEN', 'user must not send task', 'ask somebody else');
  world.incoming.push(reply('issue-1', '1', 'Please'));
  await world.run();
  await world.run();
  expect(world.durable.received['issue-1']?.reason).toBe('user must not send task (ask somebody else)');
  expect(world.posted.map(({ text, conversation }) => `${conversation}: ${text}`)).toEqual([
    '1: Not accepted: user must not send task (ask somebody else).',
  ]);
});

it('records nothing while the disk of the project refuses, and takes it later', async () => {
  const world = new World();
  world.refusal = new MailroomError('E_DISK', 'cannot write agents/user/outbox: no space is left');
  world.incoming.push(reply('issue-1', '1', 'Please'));
  const host = await world.run();
  expect(host === 'killed' ? [] : host.problems()).toEqual([
    'channel github: cannot write agents/user/outbox: no space is left',
  ]);
  expect(world.durable.received).toEqual({});
  world.refusal = null;
  await world.run();
  expect([...world.effects.values()]).toEqual(['task Paint it']);
});

it('reports nothing more where its status was removed, and does everything else', async () => {
  const world = new World();
  world.incoming.push(reply('issue-1', '1', 'Please'));
  await world.run();
  await world.run();
  expect(world.reported).toHaveLength(1);
  world.failure = new ChannelError('the comment is gone', { refused: true });
  world.standing = 'Done';
  await world.run();
  expect(world.durable.reported['1']).toMatchObject({ reference: null, text: 'Done' });
  world.failure = null;
  world.standing = 'In work';
  world.items = [item('0190-question', 'request', ['answer'])];
  await world.run();
  expect(world.reported.map(({ text }) => text)).toEqual(['In work']);
  expect(world.posted.map(({ key }) => key)).toEqual(['0190-question']);
});

it('takes what has an id that every object has, once, also after a restart', async () => {
  const ids = ['__proto__', 'toString', 'constructor', 'hasOwnProperty', 'valueOf', 'plain'];
  const world = new World();
  const tasks = ids.map((id): Incoming => ({ ...reply(`issue-${id}`, id, 'Please'), id, subject: id }));
  world.incoming.push(...tasks);
  expect(await world.run()).not.toBe('killed');
  expect([...world.effects.values()]).toEqual(ids.map((id) => `task ${id}`));
  const read = readChannelMemory(JSON.stringify(world.durable));
  expect(read).toEqual({ ok: true, value: world.durable });
  if (!read.ok) return;
  expect(Object.keys(read.value.received)).toEqual(ids);
  world.durable = read.value;
  world.effects.clear();
  world.items = ids.map((id) => ({ ...item(id, 'request', ['answer']), thread: null }));
  expect(await world.run()).not.toBe('killed');
  expect([...world.effects.values()]).toEqual([]);
  expect(world.posted.map(({ key }) => key)).toEqual(ids);
  expect(Object.keys(world.durable.conversations)).toEqual(expect.arrayContaining(ids));
});

it('goes by what it has read at its start, and replaces what is put in the place of its memory', async () => {
  const [world, other] = [new World(), new World()];
  const [one, two] = [item('one', 'request', ['answer']), item('two', 'request', ['answer'])];
  world.items = [one];
  other.items = [one, two];
  const host = await world.run();
  await other.run();
  if (host === 'killed') return expect.fail('it was killed');
  // There both were sent.
  world.durable = other.durable;
  world.items = [one, two];
  await host.close();
  expect(world.posted.map(({ key }) => key)).toEqual(['one', 'two']);
  expect(world.durable).not.toBe(other.durable);
});

it('receives anew when it is asked to, however soon, and what had begun before does not count', async () => {
  const world = new World();
  const host = await world.run();
  if (host === 'killed') return expect.fail('it was killed');
  expect(host.isFresh).toBe(true);
  const fresh: boolean[] = [];
  let again = () => host.refresh();
  world.receiving = () => {
    fresh.push(host.isFresh);
    again();
    again = () => {};
  };
  const rest = world.rests();
  host.refresh();
  await rest;
  expect(fresh).toEqual([false, false]);
  expect(host.isFresh).toBe(true);
  await host.close();
});

it('has not received while the channel does not answer', async () => {
  const world = new World();
  world.receiving = () => Promise.reject(new ChannelError('no way'));
  const host = await world.run();
  if (host === 'killed') return expect.fail('it was killed');
  expect(host.isFresh).toBe(false);
  world.receiving = () => {};
  const rest = world.rests();
  host.refresh();
  await rest;
  expect(host.isFresh).toBe(true);
  await host.close();
});
