import { describe, expect, it, vi } from 'vitest';
import { Command } from '../../src/channels/command/command.ts';
import type { StartProgram } from '../../src/channels/command/session.ts';
import { ChannelError, type Post } from '../../src/channels/machine/contract.ts';

const start = 1_700_000_000_000;
const post: Post = {
  key: '0190-a',
  conversation: null,
  subject: 'Which colour?',
  text: 'Red or blue?',
  delivery: null,
  to: ['ada'],
};

/** Programs that print what the test says, one after the other. */
class Programs {
  readonly written: Record<string, unknown>[] = [];
  starts = 0;
  ends = 0;
  reads = true;
  /** What each prints when it is started. */
  hello: readonly (object | string)[] = [{ type: 'ready' }];
  /** What each prints when it is asked. */
  reply: (asked: Record<string, unknown>) => readonly object[] = () => [];
  #hooks: Parameters<StartProgram>[0] | null = null;

  readonly start: StartProgram = (hooks) => {
    this.starts += 1;
    this.#hooks = hooks;
    for (const line of this.hello) this.print(line);
    return Promise.resolve({
      write: (line) => {
        const asked = JSON.parse(line) as Record<string, unknown>;
        this.written.push(asked);
        for (const answer of this.reply(asked)) this.print(answer);
      },
      read: (on) => (this.reads = on),
      end: () => {
        this.ends += 1;
        return Promise.resolve();
      },
    });
  };

  print(line: object | string, isCut = false): void {
    this.#hooks?.line(typeof line === 'string' ? line : JSON.stringify(line), isCut);
  }

  die(reason: string): void {
    this.#hooks?.ended(reason);
  }
}

function world() {
  const programs = new Programs();
  const channel = new Command(programs.start, () => start);
  return { programs, channel };
}

const arrived = (id: string, more: object = {}) => ({
  type: 'received',
  id,
  kind: 'reply',
  conversation: 'c1',
  author: 'ada',
  text: 'Blue',
  ...more,
});

async function failure(act: Promise<unknown>): Promise<ChannelError> {
  const error: unknown = await act.catch((reason: unknown) => reason);
  if (error instanceof ChannelError) return error;
  throw new Error('it has not failed');
}

describe('a message for a program', () => {
  it('is sent with its key once the program is ready, and comes back with its reference', async () => {
    const { programs, channel } = world();
    programs.hello = [];
    programs.reply = ({ key }) => [{ type: 'sent', key, reference: 'r1', conversation: 'c1' }];
    const sent = channel.send(post);
    await Promise.resolve();
    expect(programs.written).toEqual([]);
    programs.print({ type: 'ready' });
    expect(await sent).toEqual({ reference: 'r1', conversation: 'c1' });
    expect(programs.written).toEqual([{ type: 'send', ...post }]);
  });

  it('that may have arrived is looked for, since when its sending began', async () => {
    const { programs, channel } = world();
    programs.reply = ({ key }) => [{ type: 'absent', key }];
    expect(await channel.find(post, start)).toBeNull();
    expect(programs.written).toMatchObject([{ type: 'find', since: '2023-11-14T22:13:20.000Z' }]);
    programs.reply = ({ key }) => [{ type: 'sent', key, reference: 'r1', conversation: 'c1' }];
    expect(await channel.find(post, start)).toEqual({ reference: 'r1', conversation: 'c1' });
    expect(programs.starts).toBe(1);
  });

  it('can be refused, or fail for some time', async () => {
    const { programs, channel } = world();
    programs.reply = ({ key }) => [{ type: 'refused', key, reason: 'the chat was deleted' }];
    expect(await failure(channel.send(post))).toMatchObject({
      message: 'the chat was deleted',
      refused: true,
    });
    programs.reply = ({ key }) => [{ type: 'failed', key, reason: 'slow down', retry_after: 30 }];
    const limited = await failure(channel.send(post));
    expect(limited).toMatchObject({ message: 'slow down', refused: false, retryAt: start + 30_000 });
    programs.reply = ({ key }) => [{ type: 'absent', key }];
    expect(await failure(channel.send(post))).toMatchObject({ refused: false });
  });

  it('fails where the program is silent, which is ended then', async () => {
    vi.useFakeTimers();
    const { programs, channel } = world();
    const failed = failure(channel.send(post));
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    expect((await failed).message).toBe('its program: it was silent for 60 s when it had to answer');
    expect([programs.ends, channel.hasNews]).toEqual([1, true]);
  });
});

describe('what a program has received', () => {
  it('is news, and is confirmed to the program once it is recorded', async () => {
    const { programs, channel } = world();
    const news = vi.fn();
    channel.listen(news);
    expect((await channel.receive()).incoming).toEqual([]);
    expect(channel.hasNews).toBe(false);
    programs.print(arrived('1', { in_reply_to: 'r1' }));
    programs.print(arrived('2', { kind: 'task', subject: 'Paint it' }));
    expect([news.mock.calls.length, channel.hasNews]).toEqual([2, true]);
    const received = await channel.receive();
    const by = { author: 'ada', writer: 'ada', forged: null, conversation: 'c1', text: 'Blue' };
    expect(received.incoming).toEqual([
      { id: '1', kind: 'reply', answers: 'r1', subject: '', ...by },
      { id: '2', kind: 'task', answers: null, subject: 'Paint it', ...by },
    ]);
    expect(programs.written).toEqual([]);
    channel.confirm(received);
    expect(programs.written).toEqual([{ type: 'confirm', ids: ['1', '2'] }]);
  });

  it('waits in the program where more comes than is taken', async () => {
    const { programs, channel } = world();
    await channel.receive();
    for (let id = 0; id < 1_000; id += 1) programs.print(arrived(String(id)));
    expect(programs.reads).toBe(false);
    expect((await channel.receive()).incoming).toHaveLength(1_000);
    expect(programs.reads).toBe(true);
    for (let id = 0; id < 20; id += 1) programs.print(arrived(String(id), { text: 'x'.repeat(900_000) }));
    expect(programs.reads).toBe(false);
  });

  it.each([
    ['nonsense', 'it is not JSON'],
    ['{"type":"recieved"}', '`type` must be `ready`, `sent`, `absent`, `refused`, `failed` or `received`'],
    [JSON.stringify(arrived('1', { author: '' })), '`author` must be a string of 1 to 200 characters'],
    [JSON.stringify(arrived('1', { kind: 'approval' })), '`kind` must be `task` or `reply`'],
    [JSON.stringify(arrived('1', { text: 5 })), '`text` must be a string'],
    ['{"type":"absent","key":"other"}', '`key` must be that of what was asked'],
  ])('is set aside with a reason where it is %s', async (line, problem) => {
    const { programs, channel } = world();
    await channel.receive();
    programs.print(line);
    programs.print(arrived('2'));
    const { incoming, unread } = await channel.receive();
    expect(incoming.map(({ id }) => id)).toEqual(['2']);
    expect(unread).toHaveLength(1);
    expect(unread[0]?.id).toMatch(/^line-[\da-f]{12}$/);
    expect(unread[0]?.reason).toContain(`”: ${problem}`);
  });

  it('is set aside where it is too long, and a flood of nonsense ends the program', async () => {
    const { programs, channel } = world();
    await channel.receive();
    programs.print('{"type":"received","text":"xxxx', true);
    for (let count = 1; count < 99; count += 1) programs.print('?');
    expect(programs.ends).toBe(0);
    programs.print('?');
    expect(programs.ends).toBe(1);
    expect((await channel.receive()).unread[0]?.reason).toContain('it is too long');
    expect((await failure(channel.receive())).message).toBe(
      'its program: it has printed 100 lines that are not understood: it is not JSON',
    );
  });
});

describe('a program that ends', () => {
  it('is news, reports why once, and is started again by the next look', async () => {
    const { programs, channel } = world();
    const news = vi.fn();
    channel.listen(news);
    await channel.receive();
    programs.die('it ended with exit code 1: no token');
    expect([news.mock.calls.length, channel.hasNews]).toEqual([1, true]);
    expect((await failure(channel.receive())).message).toBe(
      'its program: it ended with exit code 1: no token',
    );
    expect(channel.hasNews).toBe(true);
    await channel.receive();
    expect([programs.starts, channel.hasNews]).toEqual([2, false]);
  });

  it('fails what it was asked, and what it had received stays', async () => {
    const { programs, channel } = world();
    await channel.receive();
    const failed = failure(channel.send(post));
    await expect.poll(() => programs.written).toHaveLength(1);
    programs.print(arrived('1'));
    programs.die('SIGKILL ended it');
    expect((await failed).message).toBe('its program: SIGKILL ended it');
    const received = await channel.receive();
    expect(received.incoming.map(({ id }) => id)).toEqual(['1']);
    channel.confirm(received);
    expect(programs.written).toHaveLength(1);
  });

  it('before it is ready is a failure of the start', async () => {
    const { programs, channel } = world();
    programs.hello = [];
    const failed = failure(channel.receive());
    await Promise.resolve();
    programs.die('command not found: nod');
    expect((await failed).message).toBe('its program: command not found: nod');
  });
});
