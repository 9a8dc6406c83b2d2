import type { Random } from '../random.ts';
import type { Exit, Outcome } from '../../../../src/providers/provider.ts';
import type { AgentJob, GateJob, Runner, RunnerEvents } from '../../../../src/host/runner/runner.ts';

/** What an agent does in one invocation: writes files into its staging folder and ends. */
export type Script = (job: AgentJob) => {
  readonly outcome: Outcome;
  readonly exit: Exit;
  readonly lasts: number;
};

interface Running {
  readonly job: AgentJob | null;
  released: boolean;
  stopped: boolean;
}

/** A runner without processes: everything happens on the world's clock, and dies with the controller. */
export class ScriptedRunner implements Runner {
  readonly #later: (after: number, act: () => void) => void;
  readonly #script: Script;
  readonly #random: Random;
  readonly #running = new Map<string, Running>();
  events: RunnerEvents | null = null;
  /** The keys of all invocations that were let through the launch gate. */
  readonly launches: string[] = [];

  constructor(later: (after: number, act: () => void) => void, script: Script, random: Random) {
    this.#later = later;
    this.#script = script;
    this.#random = random;
  }

  start(job: AgentJob): void {
    this.#add(job.key, job);
    const process = { pid: 1000 + this.#random.below(9000), startTime: '1', mark: job.key };
    this.#later(this.#random.below(20), () => this.events?.ready(job.key, process, null));
  }

  #add(key: string, job: AgentJob | null): void {
    if (this.#running.has(key)) throw new Error(`${key} was started twice`);
    this.#running.set(key, { job, released: false, stopped: false });
  }

  release(key: string): void {
    const running = this.#running.get(key);
    if (!running?.job || running.released || running.stopped) return;
    running.released = true;
    this.launches.push(key);
    const { outcome, exit, lasts } = this.#script(running.job);
    this.#later(lasts, () => this.#end(key, outcome, exit));
  }

  check({ key }: GateJob): void {
    this.#add(key, null);
    const problems = this.#random.chance(0.3) ? ['the gate said no'] : [];
    this.#later(this.#random.below(this.#random.pick([500, 20_000])), () => this.#gated(key, problems));
  }

  stop(key: string): void {
    const running = this.#running.get(key);
    if (!running || running.stopped) return;
    running.stopped = true;
    const exit = ended('stopped');
    const reason = { code: 'E_TURN', text: 'stopped' } as const;
    const usage = { usd: null, tokens: null };
    this.#later(this.#random.below(50), () => {
      if (running.job === null) return this.#gated(key, []);
      this.#end(
        key,
        { is: 'later', class: 'RETRYABLE_TRANSIENT', reason, until: null, usage, session: null },
        exit,
      );
    });
  }

  #end(key: string, outcome: Outcome, exit: Exit): void {
    if (this.#running.delete(key)) this.events?.ended(key, outcome, exit);
  }

  #gated(key: string, problems: string[]): void {
    if (this.#running.delete(key)) this.events?.gated(key, problems);
  }

  sweep(): Promise<void> {
    return Promise.resolve();
  }
}

export function ended(how: Exit['ended'], code: number | null = null): Exit {
  return { code, signal: null, ended: how, error: null, stdout: '', stderr: '', durationMs: 10, edits: null };
}
