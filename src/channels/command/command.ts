import { createHash } from 'node:crypto';
import { oneLine } from '../../kernel/one-line.ts';
import { ChannelError } from '../machine/contract.ts';
import type { Channel, Incoming, Post, Posted, Received } from '../machine/contract.ts';
import { Session, type Answer, type Arrived, type StartProgram } from './session.ts';

/** What waits to be received before the program is read no further. */
const mostWaiting = 1_000;
const mostWaitingText = 16_000_000;

/** A program of the user's own: JSON in lines of its standard input and output. */
export class Command implements Channel {
  readonly report = null;
  readonly #start: StartProgram;
  readonly #now: () => number;
  #session: Session | null = null;
  #incoming: Incoming[] = [];
  #unread: Received['unread'][number][] = [];
  #waitingText = 0;
  #news: () => void = () => {};

  constructor(start: StartProgram, now: () => number) {
    this.#start = start;
    this.#now = now;
  }

  /** A program that does not run is started by the next look. */
  get hasNews(): boolean {
    return (this.#session?.over ?? null) !== null || this.#session === null || this.#hasReceived;
  }

  get #hasReceived(): boolean {
    return this.#incoming.length > 0 || this.#unread.length > 0;
  }

  listen(news: () => void): void {
    this.#news = news;
  }

  async send(post: Post): Promise<Posted> {
    const answer = await this.#ask(post, { type: 'send', ...messageOf(post) });
    if (answer.type === 'sent') return postedOf(answer);
    throw this.#problemOf(answer);
  }

  async find(post: Post, since: number): Promise<Posted | null> {
    const question = { type: 'find', ...messageOf(post), since: new Date(since).toISOString() };
    const answer = await this.#ask(post, question);
    if (answer.type === 'absent') return null;
    if (answer.type === 'sent') return postedOf(answer);
    throw this.#problemOf(answer);
  }

  async receive(): Promise<Received> {
    if (!this.#hasReceived) await this.#using(() => Promise.resolve());
    const received = { incoming: this.#incoming, unread: this.#unread, cursor: null };
    [this.#incoming, this.#unread, this.#waitingText] = [[], [], 0];
    this.#session?.read(true);
    return received;
  }

  confirm({ incoming }: Received): void {
    const ids = incoming.map(({ id }) => id);
    if (ids.length > 0) this.#session?.write({ type: 'confirm', ids });
  }

  async close(): Promise<void> {
    await this.#session?.close();
  }

  #ask({ key }: Post, question: object): Promise<Answer> {
    return this.#using((session) => session.ask(key, question));
  }

  /** Starts the program if it does not run. The reason of its end is reported once. */
  async #using<T>(act: (session: Session) => Promise<T>): Promise<T> {
    const session = (this.#session ??= await Session.start(this.#start, {
      received: (line) => this.#take(line),
      unread: (text, problem) => this.#setAside(text, problem),
      ended: () => this.#news(),
    }));
    try {
      await session.ready();
      return await act(session);
    } finally {
      if (session.over !== null) this.#session = null;
    }
  }

  #take({ id, kind, conversation, in_reply_to: answers, author, subject = '', text }: Arrived): void {
    const by = { author, writer: author, forged: null };
    this.#incoming.push({ id, kind, conversation, answers: answers ?? null, ...by, subject, text });
    this.#waitingText += text.length;
    if (this.#incoming.length >= mostWaiting || this.#waitingText >= mostWaitingText)
      this.#session?.read(false);
    this.#news();
  }

  #setAside(text: string, problem: string): void {
    // Of the problem: a program that repeats it does not fill the memory of the channel.
    const id = `line-${createHash('sha256').update(problem).digest('hex').slice(0, 12)}`;
    this.#unread.push({ id, reason: `its program printed “${oneLine(text, 80)}”: ${problem}` });
    this.#news();
  }

  #problemOf(answer: Answer): ChannelError {
    switch (answer.type) {
      case 'refused':
        return new ChannelError(oneLine(answer.reason, 300), { refused: true });
      case 'failed': {
        const { reason, retry_after: seconds } = answer;
        const retryAt = seconds === undefined ? null : this.#now() + seconds * 1_000;
        return new ChannelError(oneLine(reason, 300), { retryAt });
      }
      default:
        return new ChannelError(
          `its program: it answered with \`${answer.type}\` what cannot be so answered`,
        );
    }
  }
}

function messageOf({ key, conversation, to, subject, text, delivery }: Post) {
  return { key, conversation, to, subject, text, delivery };
}

function postedOf({ reference, conversation }: Extract<Answer, { readonly type: 'sent' }>): Posted {
  return { reference, conversation };
}
