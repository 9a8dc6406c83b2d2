import { readChannelLine, type ChannelLine } from '../../letters/channel-lines.ts';
import { ChannelError } from '../machine/contract.ts';

/** A running program that lines are exchanged with. */
interface Running {
  write(line: string): void;
  /** False: it is not read from until this is true again. */
  read(on: boolean): void;
  end(): Promise<void>;
}

interface Hooks {
  readonly line: (text: string, isCut: boolean) => void;
  /** Called once, with the reason. */
  readonly ended: (reason: string) => void;
}

/** Starts the program. Never rejects: what fails is the reason of its end. */
export type StartProgram = (hooks: Hooks) => Promise<Running>;

type Line<T extends ChannelLine['type']> = Extract<ChannelLine, { readonly type: T }>;
export type Arrived = Line<'received'>;
export type Answer = Line<'sent' | 'absent' | 'refused' | 'failed'>;

interface SessionEvents {
  readonly received: (line: Arrived) => void;
  /** A line that is not understood. */
  readonly unread: (text: string, problem: string) => void;
  readonly ended: () => void;
}

interface Awaited {
  /** The key of what was asked; null: that it is ready. */
  readonly key: string | null;
  readonly answered: (answer: Answer | null) => void;
  readonly failed: (error: ChannelError) => void;
}

/** How long the program may take to be ready, and to answer, in milliseconds. */
const patience = 60_000;
/** Lines that are not understood before it is ended. */
const mostUnread = 100;

/** One run of the program of a channel, from its start to its end. */
export class Session {
  readonly #events: SessionEvents;
  #program: Running | null = null;
  #isReady = false;
  #unread = 0;
  #over: ChannelError | null = null;
  #awaited: Awaited | null = null;

  private constructor(events: SessionEvents) {
    this.#events = events;
  }

  static async start(start: StartProgram, events: SessionEvents): Promise<Session> {
    const session = new Session(events);
    session.#program = await start({
      line: (text, isCut) => session.#take(text, isCut),
      ended: (reason) => session.#end(reason),
    });
    return session;
  }

  /** Why it has ended; null: it runs. */
  get over(): ChannelError | null {
    return this.#over;
  }

  async ready(): Promise<void> {
    if (!this.#isReady || this.#over !== null) await this.#await(null);
  }

  async ask(key: string, question: object): Promise<Answer> {
    const answer = this.#await(key);
    this.write(question);
    // Only `ready` is awaited by null.
    return (await answer)!;
  }

  write(message: object): void {
    if (this.#over === null) this.#program?.write(JSON.stringify(message));
  }

  read(on: boolean): void {
    this.#program?.read(on);
  }

  async close(): Promise<void> {
    await this.#program?.end();
  }

  #await(key: string | null): Promise<Answer | null> {
    if (this.#over !== null) return Promise.reject(this.#over);
    return new Promise((answered, failed) => {
      const seconds = String(patience / 1_000);
      const late = () => this.#stop(`it was silent for ${seconds} s when it had to answer`);
      const timer = setTimeout(late, patience).unref();
      const settled = (settle: () => void) => {
        clearTimeout(timer);
        this.#awaited = null;
        settle();
      };
      this.#awaited = {
        key,
        answered: (answer) => settled(() => answered(answer)),
        failed: (error) => settled(() => failed(error)),
      };
    });
  }

  #take(text: string, isCut: boolean): void {
    if (text.trim() === '' || this.#over !== null) return;
    const read = isCut ? ({ ok: false, problem: 'it is too long' } as const) : readChannelLine(text);
    if (!read.ok) this.#refuse(text, read.problem);
    else if (read.value.type === 'received') this.#events.received(read.value);
    else if (read.value.type === 'ready') this.#answer(null, null);
    else if (!this.#answer(read.value.key, read.value))
      this.#refuse(text, '`key` must be that of what was asked');
  }

  /** Whether somebody waits for it. */
  #answer(key: string | null, answer: Answer | null): boolean {
    if (key === null) this.#isReady = true;
    if (this.#awaited?.key !== key) return false;
    this.#awaited.answered(answer);
    return true;
  }

  #refuse(text: string, problem: string): void {
    this.#unread += 1;
    this.#events.unread(text, problem);
    if (this.#unread >= mostUnread)
      this.#stop(`it has printed ${String(mostUnread)} lines that are not understood: ${problem}`);
  }

  #stop(reason: string): void {
    this.#end(reason);
    void this.#program?.end();
  }

  #end(reason: string): void {
    if (this.#over !== null) return;
    this.#over = new ChannelError(`its program: ${reason}`);
    this.#awaited?.failed(this.#over);
    this.#events.ended();
  }
}
