import type { Fact } from '../machine/event.ts';
import { askedFact } from '../machine/rules/questions.ts';
import { owedSteps } from '../machine/step.ts';
import { failedBy, resultOf, soundReason, withUnsent } from './collect.ts';
import type { MailLedger } from './ledger.ts';
import type { MailOptions, MailPorts } from './ports.ts';
import type { Staging } from './staging.ts';
import { maskedChanges, type ChangesJudged } from './turn-permissions.ts';
import { isContained } from '../../kernel/contained.ts';
import type { Reason } from '../../kernel/errors.ts';
import type { RoleName } from '../../kernel/ids.ts';
import { isHostFault } from '../../kernel/passing.ts';
import type { Exit, Invocation, Outcome } from '../../providers/provider.ts';

/** Reads what turns have left when their agents have ended. */
export class TurnResults {
  readonly #ledger: MailLedger;
  readonly #ports: MailPorts;
  readonly #options: MailOptions;
  readonly #staging: Staging;

  constructor(ledger: MailLedger, ports: MailPorts, options: MailOptions, staging: Staging) {
    this.#ledger = ledger;
    this.#ports = ports;
    this.#options = options;
    this.#staging = staging;
  }

  /**
   * The facts of an end. Unreadable output, or an unforeseen error in it, fails only this attempt.
   * Throws a fault of the machine, after which the end can be read again.
   */
  facts(invocation: Invocation, came: Outcome, exit: Exit, looked: ChangesJudged): Fact[] {
    const facts = this.#sound(invocation, came, exit, looked);
    // A turn that asks a person continues with its staging folder.
    if (looked.failure !== null || came.is !== 'done' || came.asks === undefined)
      this.#staging.forget(invocation.turn);
    return facts;
  }

  #sound(invocation: Invocation, came: Outcome, exit: Exit, looked: ChangesJudged): Fact[] {
    try {
      return this.#end(invocation, came, exit, looked);
    } catch (error) {
      if (isHostFault(error) || !isContained(error)) throw error;
      const { turn, attempt, round } = invocation;
      return [
        { type: 'attempt-failed', turn, attempt, round, session: null, ...failedBy(error, came.usage) },
      ];
    }
  }

  #end(invocation: Invocation, heard: Outcome, exit: Exit, seen: ChangesJudged): Fact[] {
    const { role, turn, attempt, round, orders } = invocation;
    // Whatever becomes of it, the conversation has its prompt.
    const session =
      heard.session === null || orders === undefined ? heard.session : { ...heard.session, orders };
    const came: Outcome = { ...heard, session };
    const { folders } = this.#ports;
    const looked = maskedChanges(seen, folders.mask.name);
    const reports = [...looked.reports, ...(came.is === 'done' ? (came.warnings ?? []) : [])];
    const isWorktree = this.#options.protocol.workspace.kind === 'worktree';
    const { violations, borrowed, unread } = this.#staging.last(
      invocation,
      isWorktree ? invocation.workspace : null,
    );
    const outcome: Outcome =
      looked.failure !== null && came.is === 'done'
        ? { is: 'never', reason: looked.failure, usage: came.usage, session: came.session }
        : came;
    const { code, durationMs } = exit;
    const ended = { outcome, exit: code, durationMs, reported: reports, ...this.#launched(invocation) };
    folders.result(turn, attempt, round, ended);
    if (outcome.is === 'done') {
      const files = folders.collect(turn, attempt, round);
      const stamps = { newId: () => this.#ports.newId(), created: this.#ledger.now() };
      const owesStep = owedSteps(this.#ledger.state, turn).length > 0;
      const result = resultOf(files, outcome, exit, { violations, reports }, stamps, owesStep);
      const at = { turn, attempt, round };
      const asking = { result, calls: outcome.asks ?? [], now: this.#ledger.now() };
      const asked = askedFact(this.#ledger.state, this.#options.protocol, at, asking);
      return [asked ?? { type: 'returned', ...at, result }];
    }
    const later = outcome.is === 'later';
    const { usage } = outcome;
    const sound = soundReason(outcome.reason, invocation);
    const known = unread === null ? sound : { ...sound, text: `${sound.text}; ${unread}` };
    const reason = withUnsent(known, folders.written(turn, attempt));
    const errorClass = later ? outcome.class : 'NON_RETRYABLE';
    const until = later ? outcome.until : null;
    const lost = borrowed.size === 0 ? [] : folders.collect(turn, attempt, round);
    return [
      {
        type: 'attempt-failed',
        turn,
        attempt,
        round,
        class: errorClass,
        reason,
        until,
        usage,
        session: outcome.session,
      },
      ...lost.flatMap(({ name, content }) =>
        borrowed.has(name) && content.ok ? [this.#refused(role, name, content.text, reason)] : [],
      ),
    ];
  }

  /**
   * What is asked of a turn when the state has forgotten it: what it was of, and what its parts
   * cost.
   */
  #launched({ turn, role, session, orders }: Invocation) {
    const known = this.#ledger.state.turns.get(turn);
    const { host = null, provider = null, thread = null, messages = [] } = known ?? {};
    const launch = { provider, resumed: session !== null, orders, ended: this.#ledger.now() };
    return { host, role, thread, messages, launch };
  }

  #refused(role: RoleName, name: string, text: string, reason: Reason): Fact {
    const id = this.#ports.newId();
    return { type: 'refused', id, role, box: 'outbox', name, text, reason, notices: [] };
  }
}
