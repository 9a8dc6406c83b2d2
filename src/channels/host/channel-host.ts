import type { ChannelConfig } from '../../config/config.ts';
import { isContained } from '../../kernel/contained.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { RoleName, ThreadId } from '../../kernel/ids.ts';
import { ownValue } from '../../kernel/own.ts';
import type { ChannelMemory } from '../../letters/channel-memory.ts';
import { ChannelError, type Channel, type Incoming, type Item, type Status } from '../machine/contract.ts';
import { decide, unsent, type ChannelPlan, type PlannedPost, type Standing } from '../machine/decide.ts';
import { judge, type Judgement } from '../machine/judge.ts';
import { apply, awakened, withoutPast, type ChannelEvent } from '../machine/memory.ts';
import type { Marks } from './marks.ts';
import { channelProblem, channelRecovery } from './memory-files.ts';

/** The person's side of a channel. What the protocol forbids is thrown as `MailroomError`. */
export interface ChannelPorts {
  readonly now: () => number;
  /** Makes the memory durable. Throws `E_DISK`. */
  readonly write: (memory: ChannelMemory) => void;
  /** What waits for people, the oldest first. */
  readonly items: () => Promise<readonly Item[]>;
  /** How these threads are. One that is forgotten is left out. */
  readonly standings: (threads: ReadonlySet<ThreadId>) => Promise<ReadonlyMap<ThreadId, Standing>>;
  /** The thread of the message with a mark; null: none yet. */
  readonly threadOf: (mark: string) => ThreadId | null;
  /** Sends a task. A mark counts once. Returns its thread; null: not known yet. */
  readonly task: (
    role: RoleName,
    said: { readonly subject: string; readonly text: string },
    mark: string,
  ) => Promise<ThreadId | null>;
  /** Whether an answer with a mark to the item with a key has taken effect. */
  readonly tookEffect: (key: string, mark: string) => boolean;
  readonly answer: (answer: Answer, mark: string) => Promise<void>;
  readonly approve: (answer: Answer, mark: string) => Promise<void>;
  /** Called after each look: what came of it may be work. */
  readonly rested: () => void;
  /** An unexpected error. */
  readonly failed: (error: unknown) => void;
}

type Answer = Extract<Judgement, { readonly do: 'answer' | 'approve' }>;

/** Longer than this no timer sleeps: a channel rests a day at most. In milliseconds. */
const longestSleep = 86_400_000;

/** How long the end waits for what can still be sent, in milliseconds. */
const lastPatience = 5_000;

/**
 * Carries mail between people's inboxes and one channel. Whatever the channel does, the mail and
 * other channels continue.
 */
export class ChannelHost {
  readonly #settings: ChannelConfig;
  readonly #channel: Channel;
  readonly #marks: Marks;
  readonly #ports: ChannelPorts;
  #memory: ChannelMemory;
  #items: readonly Item[] = [];
  /** Why the project could not be read or written. */
  #problem: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** That it works again after it was down; null: it was not, or is down now. */
  #recovery: string | null = null;
  #looking: Promise<void> | null = null;
  #again = false;
  /** How often it was to receive anew, and of those, how many it has since. */
  #asked = 1;
  #received = 0;
  /** It only sends from now on. */
  #ending = false;

  constructor(
    settings: ChannelConfig,
    channel: Channel,
    parts: { readonly marks: Marks; readonly memory: ChannelMemory; readonly ports: ChannelPorts },
  ) {
    this.#settings = settings;
    this.#channel = channel;
    this.#marks = parts.marks;
    this.#memory = awakened(parts.memory);
    this.#ports = parts.ports;
    channel.listen(() => this.wake());
  }

  /** Current problems, in words. */
  problems(): readonly string[] {
    const { name } = this.#settings;
    const own = this.#problem === null ? [] : [`channel ${name}: ${this.#problem}`];
    const unsendable = this.#items.flatMap(({ key, subject }) => {
      const refused = ownValue(this.#memory.sent, key)?.refused ?? null;
      return refused === null ? [] : [`channel ${name} does not take “${subject}”: ${refused}`];
    });
    return [...own, ...[channelProblem(this.#memory)].filter((each) => each !== null), ...unsendable];
  }

  /** That it works again, in words, since it was last down. */
  recoveries(): readonly string[] {
    return this.#recovery === null ? [] : [this.#recovery];
  }

  /** Whether it sends or receives now. */
  get isTalking(): boolean {
    return this.#looking !== null;
  }

  /** Whether it has received since the start, or since `refresh`. */
  get isFresh(): boolean {
    return this.#received === this.#asked;
  }

  /** Receives as soon as the channel answers. */
  refresh(): void {
    this.#asked += 1;
    this.#memory = awakened(this.#memory);
    this.wake();
  }

  /** Looks soon: inboxes may have changed. */
  wake(): void {
    if (this.#ending) return;
    if (this.#looking !== null) {
      this.#again = true;
      return;
    }
    this.#looking = this.#look()
      .catch((error: unknown) => this.#ports.failed(error))
      .finally(() => {
        this.#looking = null;
        if (this.#again) this.wake();
        this.#ports.rested();
      });
    this.#again = false;
  }

  /** Sends what can still be sent, and ends. */
  async close(): Promise<void> {
    this.#again = false;
    this.#ending = true;
    const rest = Promise.resolve(this.#looking).then(() => this.#look());
    const patience = new Promise<void>((resolve) => setTimeout(resolve, lastPatience).unref());
    await Promise.race([rest.catch((error: unknown) => this.#ports.failed(error)), patience]);
    this.#sleep(null);
    await this.#channel.close();
  }

  async #look(): Promise<void> {
    this.#sleep(null);
    let wake = this.#ports.now() + this.#settings.poll;
    try {
      wake = (await this.#pass()).wake;
      this.#problem = null;
    } catch (error) {
      if (!(error instanceof MailroomError) && !isContained(error)) throw error;
      this.#problem = error.message;
    }
    this.#sleep(wake);
  }

  /** Sends and receives whatever is due. */
  async #pass(): Promise<ChannelPlan> {
    this.#items = await this.#ports.items();
    this.#findThreads();
    const standings = await this.#standings();
    for (;;) {
      const { poll, people } = this.#settings;
      const rules = { poll, people, hasNews: this.#channel.hasNews || !this.isFresh };
      const view = { items: this.#items, standings, isLast: this.#ending };
      const plan = decide(this.#memory, view, rules, this.#ports.now());
      const [[status], [post]] = [plan.statuses, plan.posts];
      // One at a time: it may begin the conversation of the next.
      if (status !== undefined) await this.#trying(() => this.#report(status));
      else if (post !== undefined) await this.#trying(() => this.#post(post));
      else if (plan.polls && !this.#ending) await this.#trying(() => this.#receive());
      else return this.#rest(plan);
    }
  }

  #standings(): ReturnType<ChannelPorts['standings']> {
    if (this.#channel.report === null) return Promise.resolve(new Map());
    const threads = Object.values(this.#memory.conversations).map(({ thread }) => thread);
    return this.#ports.standings(new Set(threads.filter((thread) => thread !== null)));
  }

  #rest(plan: ChannelPlan): ChannelPlan {
    const count = unsent(this.#memory, this.#items, this.#settings.people).length;
    if (count !== this.#memory.waiting) this.#note({ is: 'waiting', count });
    return plan;
  }

  /** Notes why the channel does not work. */
  async #trying(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      this.#note({ is: 'failed', problem: error.message, retryAt: error.retryAt });
    }
  }

  /** Durable before anything depends on it. */
  #note(event: ChannelEvent): void {
    const now = this.#ports.now();
    const memory = withoutPast(apply(this.#memory, event, now), this.#items, now);
    this.#ports.write(memory);
    const { down } = this.#memory;
    if (memory.down !== null) this.#recovery = null;
    else if (down !== null) this.#recovery = channelRecovery(memory.channel, down.since);
    this.#memory = memory;
  }

  #findThreads(): void {
    for (const [conversation, { thread, mark }] of Object.entries(this.#memory.conversations)) {
      const found = thread === null && mark !== null ? this.#ports.threadOf(mark) : null;
      if (found !== null && mark !== null) this.#note({ is: 'opened', conversation, mark, thread: found });
    }
  }

  /** What was begun before may have arrived: it is looked for, so that it never arrives twice. */
  async #post({ begun, thread, ...post }: PlannedPost): Promise<void> {
    const { key } = post;
    try {
      const found = begun === null ? null : await this.#channel.find(post, begun);
      if (begun === null) this.#note({ is: 'begun', key });
      const posted = found ?? (await this.#channel.send(post));
      this.#note({ is: 'sent', key, posted, thread });
    } catch (error) {
      if (!(error instanceof ChannelError) || !error.refused) throw error;
      this.#note({ is: 'unsendable', key, problem: error.message });
    }
  }

  /** Somebody may have removed it: then nothing more is reported there. */
  async #report(status: Status): Promise<void> {
    const { conversation, text } = status;
    try {
      const reference = (await this.#channel.report?.(status)) ?? null;
      this.#note({ is: 'reported', conversation, reference, text });
    } catch (error) {
      if (!(error instanceof ChannelError) || !error.refused) throw error;
      this.#note({ is: 'reported', conversation, reference: null, text });
    }
  }

  async #receive(): Promise<void> {
    const { cursor, since } = this.#memory;
    const asked = this.#asked;
    const isKnown = (id: string) => ownValue(this.#memory.received, id) !== undefined;
    const received = await this.#channel.receive(cursor, since, isKnown);
    for (const { id, reason } of received.unread)
      if (!isKnown(id)) this.#note({ is: 'received', id, author: '', reason, reply: null });
    for (const incoming of received.incoming) if (!isKnown(incoming.id)) await this.#take(incoming);
    this.#note({ is: 'polled', cursor: received.cursor });
    this.#channel.confirm(received);
    this.#received = asked;
  }

  /** Does what it means, and then records that: what is done twice in between counts once. */
  async #take(incoming: Incoming): Promise<void> {
    const { id, author, conversation } = incoming;
    const mark = `${this.#settings.name}-${this.#marks.seal(id).slice(0, 16)}`;
    const key = ownValue(this.#memory.taking, id);
    if (key !== undefined && this.#ports.tookEffect(key, mark))
      return this.#note({ is: 'received', id, author, reason: null, reply: null });
    const judgement = judge(this.#memory, this.#items, this.#settings, incoming);
    const refused = judgement.do === 'refuse' ? judgement : await this.#obey(judgement, incoming, mark);
    // A status says it as well.
    const taken = judgement.do === 'task' && this.#channel.report === null ? receipt : null;
    const reply = refused?.reply ?? taken;
    this.#note({
      is: 'received',
      id,
      author,
      reason: refused?.reason ?? null,
      reply: reply === null ? null : { conversation, text: reply },
    });
    if (refused === null) this.#items = await this.#ports.items();
  }

  /** Null: done. */
  async #obey(
    judgement: Exclude<Judgement, { do: 'refuse' }>,
    { id, conversation }: Incoming,
    mark: string,
  ): Promise<Extract<Judgement, { do: 'refuse' }> | null> {
    try {
      if (judgement.do === 'task') {
        const thread = await this.#ports.task(judgement.role, judgement, mark);
        this.#note({ is: 'opened', conversation, mark, thread });
      } else {
        this.#note({ is: 'taking', id, key: judgement.item.key });
        await this.#ports[judgement.do](judgement, mark);
      }
      return null;
    } catch (error) {
      // A disk that refuses is tried again; nothing is recorded then.
      if (isContained(error) || !(error instanceof MailroomError) || error.code === 'E_INTERNAL') throw error;
      const reason = error.hint === null ? error.message : `${error.message} (${error.hint})`;
      return { do: 'refuse', reason, reply: `Not accepted: ${reason}.` };
    }
  }

  #sleep(until: number | null): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (until === null || this.#ending) return;
    const rest = Math.min(Math.max(0, until - this.#ports.now()), longestSleep);
    this.#timer = setTimeout(() => this.wake(), rest).unref();
  }
}

const receipt = 'Accepted as a task. Questions and the result come here.';
