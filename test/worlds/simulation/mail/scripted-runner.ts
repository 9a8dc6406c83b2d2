import type { Random } from '../random.ts';
import type { Exit, Outcome } from '../../../../src/providers/provider.ts';
import type { RuleChanges, Worked } from '../../../../src/kernel/work.ts';
import type { VirtualWork } from './virtual-work.ts';
import type {
  AgentJob,
  CheckJob,
  CheckReport,
  LandingJob,
  LandingReport,
  Runner,
  RunnerEvents,
} from '../../../../src/host/runner/runner.ts';

/** Some work changes rules, and always in the same way. */
function rulesIn(commit: string): RuleChanges | null {
  return Number.parseInt(commit.slice(-4), 16) % 4 === 0
    ? { paths: ['mailroom.yaml'], more: 0, digest: commit }
    : null;
}

/** What an agent does in one invocation: writes files into its staging folder and ends. */
export type Script = (job: AgentJob) => {
  readonly outcome: Outcome;
  readonly exit: Exit;
  readonly lasts: number;
};

interface Running {
  readonly job: AgentJob | null;
  /** Whether it waits, or has waited, at the launch barrier. */
  ready: boolean;
  released: boolean;
  stopped: boolean;
}

/** A runner without processes: everything happens on the world's clock, and dies with the controller. */
export class ScriptedRunner implements Runner {
  readonly #later: (after: number, act: () => void) => void;
  readonly #script: Script;
  readonly #random: Random;
  readonly #work: VirtualWork;
  readonly #running = new Map<string, Running>();
  events: RunnerEvents | null = null;
  /** The keys of all invocations that were let through the launch barrier. */
  readonly launches: string[] = [];

  constructor(
    later: (after: number, act: () => void) => void,
    script: Script,
    random: Random,
    work: VirtualWork,
  ) {
    this.#later = later;
    this.#script = script;
    this.#random = random;
    this.#work = work;
  }

  start(job: AgentJob): void {
    this.#add(job.key, job);
    const process = { pid: 1000 + this.#random.below(9000), startTime: '1', mark: job.key };
    const { entering } = job;
    if (entering !== undefined) this.#work.begin(entering.branch, job.key);
    const entered = entering === undefined ? null : this.#work.enter(entering, this.#isResolved);
    this.#later(this.#random.below(20), () => {
      const running = this.#running.get(job.key);
      if (running === undefined) return;
      running.ready = true;
      if (entered?.ok !== false) return this.events?.ready(job.key, process, null, entered?.commit ?? null);
      this.#end(job.key, conflicted(entered), ended('exited', null));
    });
  }

  readonly #isResolved = (): boolean => this.#random.chance(0.8);

  #add(key: string, job: AgentJob | null): void {
    if (this.#running.has(key)) throw new Error(`${key} was started twice`);
    this.#running.set(key, { job, ready: false, released: false, stopped: false });
  }

  leave(key: string): void {
    this.stop(key);
  }

  forget(): void {}

  release(key: string): void {
    const running = this.#running.get(key);
    if (!running?.job || running.released || running.stopped) return;
    running.released = true;
    this.launches.push(key);
    const { entering } = running.job;
    if (entering?.edits === true) while (this.#random.chance(0.65)) this.#work.edit(entering.branch);
    const { outcome, exit, lasts } = this.#script(running.job);
    this.#later(lasts, () => this.#end(key, outcome, exit));
  }

  check({ key, checks, leaving }: CheckJob): void {
    this.#add(key, null);
    if (leaving !== undefined) this.#work.begin(leaving.branch, key);
    const left = leaving === undefined ? null : this.#work.leave(leaving, this.#isResolved);
    const isRefused = checks.length > 0 && this.#random.chance(0.3);
    const problems = left?.ok === false ? [left.problem] : isRefused ? ['the gate said no'] : [];
    const lasts = checks.length === 0 ? 50 : this.#random.pick([500, 20_000]);
    const conflicts = left?.ok === false && left.resolving === 'role';
    const report = { problems, conflicts, left: left?.ok === true ? left.commit : null };
    this.#later(this.#random.below(lasts), () => this.#checked(key, report));
  }

  /** The branch moves some time before that is reported: a crash may come in between. */
  land(job: LandingJob): void {
    const { key } = job;
    this.#add(key, null);
    let known = false;
    const again = () => {
      if (this.#running.get(key)?.stopped !== false) return;
      const report = this.#landing(job);
      if (report.is !== 'blocked')
        return this.#later(this.#random.below(500), () => this.#landed(key, report));
      if (!known) this.events?.landing(key, report);
      known = true;
      this.#later(1_000, again);
    };
    this.#later(this.#random.below(500), again);
  }

  #landing({ work, step }: LandingJob): LandingReport {
    if (step.do === 'check') {
      if (this.#random.chance(0.05)) return { is: 'blocked', problem: 'the disk is full' };
      const prepared = this.#work.prepare(work.commit);
      if (prepared === null) {
        if (step.resolves !== null) this.#work.meetTarget(step.resolves.branch);
        return { is: 'refused', problems: ['it conflicts'], conflicts: step.resolves !== null };
      }
      const rules = rulesIn(work.commit);
      const isSeen = rules === null || rules.digest === step.approved?.rules;
      if (!isSeen || (step.isProtected && step.approved?.onto !== prepared.onto))
        return { is: 'asks', onto: prepared.onto, rules };
      if (this.#random.chance(0.1))
        return { is: 'refused', problems: ['the gate said no'], conflicts: false };
      return { is: 'checked', ...prepared };
    }
    if (step.do === 'swap' && this.#work.target.isDirty) return { is: 'blocked', problem: 'it is dirty' };
    return { is: this.#work.swap(step, step.do === 'settle') ? 'landed' : 'missed' };
  }

  #landed(key: string, report: LandingReport): void {
    if (this.#running.delete(key)) this.events?.landing(key, report);
  }

  stop(key: string): void {
    const running = this.#running.get(key);
    if (!running || running.stopped) return;
    running.stopped = true;
    const exit = ended('stopped');
    this.#later(this.#random.below(50), () => {
      if (key.includes('/landing/')) return this.#landed(key, { is: 'stopped' });
      if (running.job === null) return this.#checked(key, { problems: [], conflicts: false, left: null });
      this.#end(key, failed('stopped'), exit);
    });
  }

  /** The process that started all others is lost, and they with it; what git does is done. */
  lose(): void {
    const problem = 'the launcher has ended';
    for (const [key, { job, ready }] of this.#running) {
      if (key.includes('/landing/')) continue;
      this.#later(0, () => {
        if (job !== null && ready) return this.#end(key, failed(problem), lost(problem));
        if (!this.#running.delete(key)) return;
        this.#work.end(key);
        this.events?.held?.(key, problem);
      });
    }
  }

  #end(key: string, outcome: Outcome, exit: Exit): void {
    if (!this.#running.delete(key)) return;
    this.#work.end(key);
    this.events?.ended(key, outcome, exit);
  }

  #checked(key: string, report: CheckReport): void {
    if (!this.#running.delete(key)) return;
    this.#work.end(key);
    this.events?.checked(key, report);
  }

  sweep(): Promise<void> {
    return Promise.resolve();
  }
}

function failed(text: string): Outcome {
  const reason = { code: 'E_TURN', text } as const;
  const usage = { usd: null, tokens: null };
  return { is: 'later', class: 'RETRYABLE_TRANSIENT', reason, until: null, usage, session: null };
}

function lost(error: string): Exit {
  return { ...ended('exited'), signal: 'SIGKILL', error };
}

export function ended(how: Exit['ended'], code: number | null = null): Exit {
  return { code, signal: null, ended: how, error: null, stdout: '', stderr: '', durationMs: 10, edits: null };
}

/** What a turn ends with whose messages conflict in its checkout. */
function conflicted({ problem: text, resolving }: Extract<Worked, { ok: false }>): Outcome {
  const reason = { code: 'E_CONFLICT', text } as const;
  const rest = { reason, usage: { usd: 0, tokens: 0 }, session: null };
  if (resolving === 'person') return { is: 'never', ...rest };
  return { is: 'later', class: 'RETRYABLE_TRANSIENT', until: null, ...rest };
}
