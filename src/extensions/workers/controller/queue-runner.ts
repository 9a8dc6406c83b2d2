import type { JobQueue } from '../queue/channel.ts';
import { QueuedAgents, type QueueOptions } from './queued-agents.ts';
import type {
  AgentJob,
  AgentRunner,
  CheckJob,
  LandingJob,
  Runner,
  RunnerEvents,
} from '../../../host/runner/runner.ts';
import type { TurnsAway } from '../../../project/definition/hooks.ts';

/** Runs the turns of roles `on: workers` on other hosts, and everything else on this one. */
export class QueueRunner implements TurnsAway {
  /** Agents of other roles, and all gates. */
  readonly #local: Runner;
  readonly #away: QueuedAgents;
  /** The keys of turns on workers, until their ends are durable. */
  readonly #keys = new Set<string>();
  #noticed: readonly string[] = [];

  /** `open`: opens the queue, which calls `onChange`. */
  constructor(
    { local, ...options }: QueueOptions & { readonly local: Runner },
    events: RunnerEvents,
    open: (onChange: () => void) => JobQueue,
  ) {
    this.#local = local;
    this.#away = new QueuedAgents(options, events, open);
  }

  start(job: AgentJob): void {
    if (job.on !== undefined) this.#keys.add(job.key);
    this.#of(job.key).start(job);
  }

  release(key: string): void {
    this.#of(key).release(key);
  }

  stop(key: string): void {
    this.#of(key).stop(key);
  }

  leave(key: string): void {
    this.#of(key).leave(key);
  }

  forget(key: string): void {
    this.#of(key).forget(key);
    this.#keys.delete(key);
  }

  #of(key: string): AgentRunner {
    return this.#keys.has(key) ? this.#away : this.#local;
  }

  check(job: CheckJob): void {
    this.#local.check(job);
  }

  land(job: LandingJob): void {
    this.#local.land(job);
  }

  sweep(): Promise<void> {
    return this.#local.sweep();
  }

  /** What keeps turns from workers, in words. */
  problems(): string[] {
    return [...this.#away.problems(), ...this.#noticed];
  }

  /** What may be wrong with the workers, in words. */
  noticed(problems: readonly string[]): void {
    this.#noticed = problems;
  }

  /** As `QueuedAgents` has it. */
  asked(problem: string | null): void {
    this.#away.asked(problem);
  }

  /** Removes what earlier controllers have left of jobs that no turn needs. `needed`: their ids. */
  clean(needed: ReadonlySet<string>): void {
    this.#away.clean(needed);
  }

  close(): Promise<void> {
    return this.#away.close();
  }
}
