import { isContained } from '../../kernel/contained.ts';
import { MailroomError, type ErrorCode } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { earliest } from '../../kernel/times.ts';
import type { Message } from '../../mail/format/message.ts';
import type { Trigger } from '../automation.ts';
import { asksText, decideTriggers, runEnded, unanswered, type Moment } from '../machine/triggers/decide.ts';
import { memoryOf, taken } from '../machine/triggers/memory.ts';
import { asked, filesChanged, polled, triggerData } from '../machine/triggers/notice.ts';
import { FileWatch } from './file-watch.ts';
import type { TriggerPorts } from './trigger-ports.ts';
import type { Start, TriggersMemory } from '../../letters/letters.ts';

/** A workflow with triggers. */
interface Triggered {
  /** Its file, relative to the project. */
  readonly file: string;
  readonly triggers: readonly Trigger[];
  /** Whether the next run cancels the one in progress. */
  readonly cancelsOlder?: boolean;
}

/**
 * Problems that pass without an edit: a lock is released, disk space is freed, or the workflow is
 * confirmed.
 */
const waits: readonly ErrorCode[] = ['E_LOCKED', 'E_DISK', 'E_UNCONFIRMED'];

/** Milliseconds until a start that failed is tried again. */
const again = 2_000;

/**
 * The triggers of one workflow, and their run. Level-triggered: it may be woken at any time. A
 * decision is durable before its effects.
 */
export class WorkflowTriggers {
  readonly workflow: Triggered;
  readonly #ports: TriggerPorts;
  readonly #files: FileWatch;
  readonly #polling = new Set<string>();
  #memory: TriggersMemory;
  #written: TriggersMemory;
  /**
   * The run that this host has started or continued, and when one that could not begin is tried
   * again.
   */
  #running: string | null = null;
  #retryAt = 0;
  /** The run that this host has cancelled for the next one. */
  #cancelled: string | null = null;
  #held = false;
  #problem: string | null = null;
  /** Why the memory is not durable; the next look tries again. */
  #unwritten: string | null = null;

  constructor(workflow: Triggered, ports: TriggerPorts) {
    this.workflow = workflow;
    this.#ports = ports;
    this.#written = ports.memory.read(workflow.file);
    this.#memory = taken(this.#written, workflow.triggers);
    this.#files = new FileWatch(workflow.triggers, ports);
  }

  get memory(): TriggersMemory {
    return this.#memory;
  }

  /** A problem that will be tried again; null: none. */
  get problem(): string | null {
    if (this.#unwritten !== null) return this.#unwritten;
    if (this.#problem !== null) return this.#problem;
    if (this.#files.problem !== null) return `${this.workflow.file}: ${this.#files.problem}`;
    for (const { name } of this.workflow.triggers) {
      const waiting = this.#asks().find(({ trigger }) => trigger === name);
      if (waiting !== undefined) return `${this.workflow.file}: the trigger \`${name}\` ${asksText(waiting)}`;
      const { unfiltered } = memoryOf(this.#memory, name);
      if (unfiltered !== null)
        return `${this.workflow.file}: \`filter\` of the trigger \`${name}\` failed, so it started no run: ${unfiltered}`;
    }
    return null;
  }

  /** Whether a run is in progress here. */
  get running(): boolean {
    return this.#running !== null;
  }

  /** Starts nothing new. */
  hold(): void {
    this.#held = true;
  }

  /** A watched file may have changed: the next look checks the files. */
  hint(): void {
    this.#files.hint();
    this.#ports.wake();
  }

  /**
   * Checks the time, the memory and, at intervals or after a hint, the files. Returns when to look
   * again, in milliseconds since 1970; null: never.
   */
  look(): number | null {
    const { now } = this.#moment();
    if (this.#files.isDue(now))
      for (const { name, files } of this.#files.look(now))
        this.#memory = filesChanged(this.#memory, name, files, now);
    if (this.#held) {
      this.#write();
      return null;
    }
    const before = this.#memory;
    const decided = decideTriggers(before, this.workflow.triggers, this.#moment());
    this.#memory = decided.memory;
    if (!this.#write()) {
      this.#memory = before;
      return now + again;
    }
    for (const name of decided.polls) this.#poll(name);
    this.#continue(now);
    return earliest([
      decided.wake,
      decided.next === null ? null : this.#cancelFor(decided.next, now),
      this.#files.wake,
      this.#retryAt > now ? this.#retryAt : null,
      this.#asks().length > 0 ? now + again : null,
    ]);
  }

  /**
   * Requests a run by a trigger. Returns its id, which is final even while it waits; null: its
   * filter did not let it pass. Throws `E_DISK` when the request is not durable yet.
   */
  ask(trigger: Trigger, data: JsonObject): string | null {
    const before = memoryOf(this.#memory, trigger.name).waiting;
    this.#note(trigger, data);
    if (this.#unwritten !== null) throw new MailroomError('E_DISK', this.#unwritten);
    const { waiting } = memoryOf(this.#memory, trigger.name);
    return waiting === before ? null : (waiting?.run ?? null);
  }

  #note(trigger: Trigger, data: JsonObject): void {
    this.#memory = asked(this.#memory, trigger, data, this.#moment());
    this.#write();
    this.#ports.wake();
  }

  /** Receives messages that roles got. */
  received(message: Message): void {
    for (const trigger of this.workflow.triggers)
      if (trigger.kind === 'message' && trigger.type === message.type && message.to.includes(trigger.role))
        this.#note(trigger, { role: trigger.role, message: messageData(message) });
  }

  /** The requests that wait for a person. */
  #asks(): Start[] {
    return this.workflow.triggers.flatMap(
      (trigger) => unanswered(trigger, this.#memory, this.#ports.said) ?? [],
    );
  }

  #moment(): Moment {
    const { clock, newId, next, said } = this.#ports;
    const { cancelsOlder = false } = this.workflow;
    return { now: clock.now(), fresh: newId, next, said, cancelsOlder };
  }

  /** Makes the memory durable. False: the disk refuses it, so nothing may follow from it. */
  #write(): boolean {
    this.#unwritten = null;
    if (this.#memory === this.#written) return true;
    try {
      this.#ports.memory.write(this.workflow.file, this.#memory);
      this.#written = this.#memory;
      return true;
    } catch (error) {
      if (!isContained(error)) throw error;
      this.#unwritten = error.message;
      return false;
    }
  }

  #poll(name: string): void {
    const trigger = this.workflow.triggers.find((each) => each.name === name);
    if (trigger?.kind !== 'command' || this.#polling.has(name)) return;
    this.#polling.add(name);
    void this.#ask(trigger).catch((error: unknown) => this.#ports.failed(error));
  }

  async #ask(trigger: Extract<Trigger, { kind: 'command' }>): Promise<void> {
    const output = await this.#ports.poll(trigger.argv);
    this.#polling.delete(trigger.name);
    if (output !== null) this.#memory = polled(this.#memory, trigger, output, this.#moment());
    this.#ports.wake();
  }

  /** Starts the due run, or continues the one that an earlier host left. */
  #continue(now: number): void {
    const { going } = this.#memory;
    if (going === null || this.#running !== null || now < this.#retryAt) return;
    this.#running = going.run;
    void this.#follow(going).catch((error: unknown) => this.#ports.failed(error));
  }

  /** Returns when to look again at a run that no process hosts yet. */
  #cancelFor(next: Start, now: number): number | null {
    const { going } = this.#memory;
    if (going === null || going.run === this.#cancelled) return null;
    if (!this.#ports.cancel(going.run, next.run)) return now + again;
    this.#cancelled = going.run;
    return null;
  }

  async #follow(start: Start): Promise<void> {
    const kind = this.workflow.triggers.find(({ name }) => name === start.trigger)?.kind ?? 'command';
    const over = await this.#run(start, triggerData(start, kind));
    this.#running = null;
    if (over) this.#memory = runEnded(this.#memory, start.run, this.#ports.clock.now());
    if (over) this.#write();
    this.#ports.wake();
  }

  /** False: it is not over, or cannot begin yet. */
  async #run(start: Start, data: JsonObject): Promise<boolean> {
    try {
      const over = await this.#ports.run(this.workflow.file, start.run, data);
      this.#problem = null;
      return over;
    } catch (error) {
      if (!(error instanceof MailroomError) || error.code === 'E_INTERNAL') throw error;
      this.#problem = `${this.workflow.file}: ${error.message}`;
      this.#retryAt = this.#ports.clock.now() + again;
      // A busy resource is released some time; an error in the file stays until it is edited.
      return !waits.includes(error.code);
    }
  }
}

function messageData({ id, type, from, to, thread, subject, fields, body }: Message): JsonObject {
  return { id, type, from, to: [...to], thread, subject, fields: { ...fields }, body };
}
