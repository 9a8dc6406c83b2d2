import type { AgentJob, Exit, GateJob, Outcome, Runner, RunnerEvents } from '../../src/core/ports.ts';
import type { Random } from './random.ts';

/** What an agent does in one invocation: writes files into its staging folder and ends. */
export type Script = (job: AgentJob) => {
  readonly outcome: Outcome;
  readonly exit: Exit;
  readonly lasts: number;
};

interface Running {
  readonly job: AgentJob;
  released: boolean;
  stopped: boolean;
}

/** A runner without processes: everything happens on the world's clock, and dies with the host. */
export class ScriptedRunner implements Runner {
  readonly #later: (after: number, act: () => void) => void;
  readonly #script: Script;
  readonly #random: Random;
  readonly #running = new Map<string, Running>();
  events: RunnerEvents | null = null;
  /** False once its host was killed: what it began comes to nothing. */
  alive = true;
  /** The keys of all invocations that were let through the launch gate. */
  readonly launches: string[] = [];

  constructor(later: (after: number, act: () => void) => void, script: Script, random: Random) {
    this.#later = (after, act) => later(after, () => (this.alive ? act() : undefined));
    this.#script = script;
    this.#random = random;
  }

  start(job: AgentJob): void {
    if (this.#running.has(job.key)) throw new Error(`${job.key} was started twice`);
    this.#running.set(job.key, { job, released: false, stopped: false });
    const process = { pid: 1000 + this.#random.below(9000), startTime: '1', mark: job.key };
    this.#later(this.#random.below(20), () => this.events?.ready(job.key, process, null));
  }

  release(key: string): void {
    const running = this.#running.get(key);
    if (!running || running.released) return;
    running.released = true;
    this.launches.push(key);
    const { outcome, exit, lasts } = this.#script(running.job);
    this.#later(lasts, () => this.#end(key, outcome, exit));
  }

  check(job: GateJob): void {
    const problems = this.#random.chance(0.3) ? ['the gate said no'] : [];
    this.#later(this.#random.below(2_000), () => this.events?.gated(job.key, problems));
  }

  stop(key: string): void {
    const running = this.#running.get(key);
    if (!running || running.stopped) return;
    running.stopped = true;
    const exit = ended('stopped');
    const reason = { code: 'E_TURN', text: 'stopped' } as const;
    const usage = { usd: null, tokens: null };
    this.#later(this.#random.below(50), () =>
      this.#end(key, { is: 'later', class: 'RETRYABLE_TRANSIENT', reason, until: null, usage }, exit),
    );
  }

  #end(key: string, outcome: Outcome, exit: Exit): void {
    if (!this.#running.delete(key)) return;
    this.events?.ended(key, outcome, exit);
  }

  sweep(): Promise<void> {
    return Promise.resolve();
  }

  tree(): Promise<string | null> {
    return Promise.resolve(null);
  }
}

export function ended(how: Exit['ended'], code: number | null = null): Exit {
  return { code, signal: null, ended: how, error: null, stdout: '', stderr: '', durationMs: 10 };
}
