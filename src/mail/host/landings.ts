import type { Fact } from '../machine/event.ts';
import type { Protocol } from '../format/protocol.ts';
import { landingKey, type LandingStep } from '../machine/rules/landing.ts';
import type { Landing } from '../machine/landing.ts';
import { ProcessTable } from '../../host/process-table.ts';
import type { LandingChecks, LandingJob, LandingReport } from '../../host/runner/runner.ts';
import { commitText, roleBranch } from '../../kernel/work.ts';
import type { MailLedger } from './ledger.ts';
import type { MailPorts } from './ports.ts';
import type { TurnPermissions } from './turn-permissions.ts';
import { placeOf } from './workspaces.ts';

/** Starts and stops the steps of landings as decided, and records what they came to. */
export class Landings {
  readonly #ledger: MailLedger;
  readonly #ports: MailPorts;
  readonly #protocol: Protocol;
  readonly #permissions: TurnPermissions;
  readonly #running: ProcessTable<{ readonly key: string; readonly landing: Landing }>;
  /** Steps that were tried without success. What blocked them under an earlier host may be gone. */
  readonly #blocked = new Set<string>();

  constructor(ledger: MailLedger, ports: MailPorts, protocol: Protocol, permissions: TurnPermissions) {
    this.#ledger = ledger;
    this.#ports = ports;
    this.#protocol = protocol;
    this.#permissions = permissions;
    this.#running = new ProcessTable(ports.runner);
  }

  /** How many steps are under way, without those that only try again until they are stopped. */
  get running(): number {
    return [...this.#running.values()].filter(
      ({ key }) => this.#running.isStopping(key) || !this.#blocked.has(key),
    ).length;
  }

  /** Starts and stops steps to match what should run. Call it only after a flush. */
  steer(steps: readonly LandingStep[]): void {
    const wanted = new Map(steps.map((step) => [landingKey(step), step]));
    this.#running.steer(wanted, (step) => this.#start(landingKey(step), step));
  }

  #start(key: string, step: LandingStep): void {
    const { landing } = step;
    const job = this.#job(key, step);
    this.#running.set(key, { key, landing });
    // No other turn may enter a checkout in which gates run.
    if (job.step.do === 'check') this.#permissions.overlaps.begin(key, job.step.checks.workspace, true);
    this.#ports.runner.land(job);
  }

  #job(key: string, step: LandingStep): LandingJob {
    const { turn, role, thread, message, commit, lands, approved } = step.landing;
    const title = step.do === 'check' ? step.title : '';
    const text = commitText({ title, turn, role, thread, messages: [message] });
    const { branch, by, approval } = lands;
    const work = { commit, branch, by, author: role, text };
    if (step.do !== 'check') return { key, work, step };
    const isEditor = this.#protocol.roles.get(role)?.capabilities.includes('EDIT') === true;
    const resolves = isEditor ? { turn, role, thread, branch: roleBranch(thread, role) } : null;
    const checks = this.#checks(step);
    const left = this.#ledger.state.branches.get(branch) ?? null;
    return { key, work, step: { do: 'check', checks, isProtected: approval, approved, left, resolves } };
  }

  #checks({ landing, checks }: Extract<LandingStep, { do: 'check' }>): LandingChecks {
    const { thread, role: name } = landing;
    const turn = this.#ledger.state.turns.get(landing.turn);
    const role = this.#protocol.roles.get(name);
    const place = turn && placeOf(this.#ledger.state, this.#protocol, this.#ports.project, turn);
    return {
      thread,
      role: name,
      provider: turn?.provider ?? '',
      network: role?.network ?? true,
      checks,
      workspace: place?.workspace ?? '',
      env: role?.env ?? {},
      folder: { turn: landing.turn, attempt: landing.attempt },
    };
  }

  /** The runner reports to this; look afterwards. */
  reported(key: string, report: LandingReport): void {
    const running = this.#running.get(key);
    if (!running) return;
    const isLast = report.is !== 'blocked';
    if (isLast) this.#blocked.delete(key);
    else this.#blocked.add(key);
    try {
      if (!this.#running.isStopping(key)) this.#ledger.record(factsOf(running.landing, report));
    } finally {
      if (isLast) {
        this.#running.delete(key);
        this.#permissions.overlaps.end(key);
      }
    }
  }

  /** Stops all steps at once. */
  stopAll(): void {
    this.#running.stopAll();
  }
}

function factsOf({ turn, attempt, round }: Landing, report: LandingReport): Fact[] {
  const at = { turn, attempt, round };
  switch (report.is) {
    case 'asks': {
      const { is: _is, ...asked } = report;
      return [{ type: 'landing-asked', ...at, ...asked }];
    }
    case 'checked':
      return [{ type: 'landing-checked', ...at, onto: report.onto, result: report.result }];
    case 'landed':
      return [{ type: 'landed', ...at }];
    case 'missed':
      return [{ type: 'landing-missed', ...at }];
    case 'refused': {
      const { is: _is, ...refused } = report;
      return [{ type: 'landing-refused', ...at, ...refused }];
    }
    case 'blocked':
      return [{ type: 'landing-blocked', ...at, problem: report.problem }];
    case 'stopped':
      return [];
    default:
      return report satisfies never;
  }
}
