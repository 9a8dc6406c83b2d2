import { setTimeout } from 'node:timers/promises';
import { messageOf } from '../../kernel/errors.ts';
import type { Landings, Prepared } from '../../git/landing.ts';
import { meetBranch } from '../../git/work.ts';
import { swapLanding } from '../../git/landing-swap.ts';
import { isUndone } from '../../git/undo-landing.ts';
import { LandingToCheck } from '../../git/checked-work.ts';
import type { Work } from './message-checks.ts';
import type { LandingChecks, LandingJob, LandingReport } from './runner.ts';

/** What the steps of a landing need of their runner. */
interface LandingHost {
  readonly project: string;
  /** One for all landings of the project. */
  readonly landings: Landings;
  isStopped(): boolean;
  /** Runs gates on work in the checkout of a role; returns the problems, in words. */
  check(checks: LandingChecks, work: Work): Promise<string[]>;
  /** Receives why a landing waits, each time that it is another reason. */
  blocked(problem: string): void;
}

type CheckStep = Extract<LandingJob['step'], { do: 'check' }>;

/** How long a landing that is blocked rests between two tries, in milliseconds. */
const restMs = 1_000;

/** Does one step of a landing, as often as it takes. */
export class LandingSteps {
  readonly #host: LandingHost;

  constructor(host: LandingHost) {
    this.#host = host;
  }

  /** Never rejects. */
  async run(job: LandingJob): Promise<LandingReport> {
    for (let known: string | null = null; ;) {
      const report = await this.#try(job);
      if (this.#host.isStopped()) return { is: 'stopped' };
      if (report.is !== 'blocked') return report;
      if (report.problem !== known) this.#host.blocked(report.problem);
      known = report.problem;
      await setTimeout(restMs);
      if (this.#host.isStopped()) return { is: 'stopped' };
    }
  }

  async #try({ work, step }: LandingJob): Promise<LandingReport> {
    const { project } = this.#host;
    if (step.do === 'check') return this.#check(work, step);
    const { onto, result } = step;
    const swapped = await swapLanding(project, { branch: work.branch, onto, result }, step.do === 'settle');
    return swapped.is === 'moved' ? { is: 'missed' } : swapped;
  }

  /** A conflict lies in the checkout of its author then, with both sides. */
  async #refused(
    { commit, branch }: LandingJob['work'],
    { checks, resolves }: CheckStep,
    { problem, conflicts: onto }: Extract<Prepared, { is: 'refused' }>,
  ): Promise<LandingReport> {
    if (onto === null) return { is: 'refused', problems: [problem], conflicts: false };
    if (resolves === null) {
      const advice = `${problem}. You must not edit files: send it back to a role that may`;
      return { is: 'refused', problems: [advice], conflicts: false, meets: onto };
    }
    const met = await meetBranch(this.#host.project, checks.workspace, resolves, { commit, branch, onto });
    if (!met.ok && met.resolving === 'role')
      return { is: 'refused', problems: [met.problem], conflicts: true };
    return { is: 'blocked', problem: met.ok ? problem : met.problem };
  }

  async #check(work: LandingJob['work'], step: CheckStep): Promise<LandingReport> {
    const { checks, isProtected, approved, left } = step;
    const { project } = this.#host;
    const prepared = await this.#host.landings.prepare(work);
    if (prepared.is === 'refused') return this.#refused(work, step, prepared);
    if (prepared.is === 'blocked') return prepared;
    const { onto, result, rules } = prepared;
    const isUnseen = rules !== null && rules.digest !== approved?.rules;
    if (isUnseen || (isProtected && approved?.onto !== onto)) {
      const undone =
        left !== null && left !== onto && (await isUndone(project, left, onto).catch(() => false));
      return { is: 'asks', onto, rules, undone };
    }
    // What is the same as the work itself has passed its gates already.
    if (checks.checks.length === 0 || result === work.commit || result === onto)
      return { is: 'checked', onto, result };
    try {
      const landing = new LandingToCheck(project, checks.workspace, checks, result);
      const problems = await this.#host.check(checks, landing);
      await landing.checkout.restore();
      if (problems.length === 0) return { is: 'checked', onto, result };
      return {
        is: 'refused',
        conflicts: false,
        problems: [...problems, `this was found on the merge with \`${work.branch}\``],
      };
    } catch (error) {
      return { is: 'blocked', problem: `the gates could not be checked: ${messageOf(error)}` };
    }
  }
}
