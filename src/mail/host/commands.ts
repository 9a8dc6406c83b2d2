import { ControlReader, type Control } from '../../host/control.ts';
import type { Mailboxes } from '../mailboxes/mailboxes.ts';
import type { Command, Fact } from '../machine/event.ts';
import { refusal } from '../machine/rules/commands.ts';
import { fileName, idInName, type Message } from '../format/message.ts';
import type { MailState } from '../machine/state.ts';
import type { Protocol } from '../format/protocol.ts';
import { hasVerdict } from '../../kernel/commands.ts';
import { MailroomError, type Reason } from '../../kernel/errors.ts';
import { readControl, type ControlFile } from '../../letters/letters.ts';
import { reportRefused, reportRefusedCommand } from './notices.ts';
import type { MailLedger } from './ledger.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Target } from '../../letters/target.ts';

/**
 * The sender of a command waits five seconds for the verdict. In milliseconds, with a margin for
 * delivery.
 */
const patience = 4_000;

/**
 * The commands that other processes put into the control folder; each becomes one event with its
 * verdict.
 */
export class Commands {
  readonly #ledger: MailLedger;
  readonly #protocol: Protocol;
  readonly #mailboxes: Mailboxes;
  readonly files: ControlReader<ControlFile>;
  #unpaused: RoleName[] = [];
  #hasLooked = false;

  constructor(ledger: MailLedger, protocol: Protocol, ports: { control: Control; mailboxes: Mailboxes }) {
    this.#ledger = ledger;
    this.#protocol = protocol;
    this.#mailboxes = ports.mailboxes;
    this.files = new ControlReader(ports.control, {
      read: readControl,
      follow: (file) => this.#follow(file),
      refused: (file) => reportRefused(ledger, file),
    });
  }

  /**
   * Records the verdicts. Returns the roles that a person wants to resume. Throws `E_DISK`; the
   * verdicts recorded before that stay valid.
   */
  take(): RoleName[] {
    this.files.take();
    this.#hasLooked = true;
    return this.#unpaused.splice(0);
  }

  /** Whether more commands wait than the last `take` looked at. */
  get more(): boolean {
    return this.files.more;
  }

  #follow(file: ControlFile): void {
    // The file stays until its verdict is durable and the disk lets it go, also beyond a crash.
    if (hasVerdict(this.#ledger.state.commands, file.id)) return;
    const fact = verdict(this.#ledger, this.#protocol, this.#mailboxes, file);
    this.#ledger.record([fact]);
    if (fact.refusal !== null && this.#isLate(file)) reportRefusedCommand(this.#ledger, file, fact.refusal);
    const { verb, target } = file;
    if (verb !== 'unpause') return;
    if (target.kind === 'role') this.#unpaused.push(target.role);
    if (target.kind === 'all') this.#unpaused.push(...this.#protocol.roles.keys());
  }

  /**
   * Whether the command's sender no longer waits for the verdict: no controller was running when it
   * was written, or none has handled it in time.
   */
  #isLate({ at }: ControlFile): boolean {
    return !this.#hasLooked || this.#ledger.now() - at >= patience;
  }
}

function verdict(
  ledger: MailLedger,
  protocol: Protocol,
  mailboxes: Mailboxes,
  file: ControlFile,
): Controlled {
  const { id, by } = file;
  const command = commandOf(ledger, mailboxes, file);
  if ('code' in command) {
    const target: Target = { kind: 'all' };
    return { type: 'controlled', id, by, command: { verb: 'unpause', target, now: false }, refusal: command };
  }
  return { type: 'controlled', id, by, command, refusal: refusal(ledger.state, protocol, command, by) };
}

type Controlled = Extract<Fact, { type: 'controlled' }>;

function commandOf(
  ledger: MailLedger,
  mailboxes: Mailboxes,
  { verb, target, now, comment, changes }: ControlFile,
): Command | Reason {
  if (verb === 'retry') {
    if (target.kind !== 'letter') return { code: 'E_TARGET', text: 'only a message can be retried' };
    const found = failedMessage(ledger, mailboxes, target) ?? waitingMessage(ledger.state, target);
    if (found) return 'code' in found ? found : { verb, message: found, role: target.role };
    const text = `agents/${target.role}/failed has no message ${target.name}, and none of that name was withdrawn`;
    return { code: 'E_TARGET', text };
  }
  if (target.kind === 'letter') return { code: 'E_TARGET', text: `\`${verb}\` does not apply to a message` };
  if (verb === 'approve' || verb === 'reject')
    return { verb, target, comment, ...(changes !== null && { changes }) };
  return verb === 'cancel' ? { verb, target } : { verb, target, now };
}

interface FailedFile {
  readonly role: RoleName;
  readonly name: string;
}

/**
 * Removal by hand leaves no file, but while its thread is known the journal has the text. The
 * message of a turn that waits for a person, or that another retry has put back, is in the inbox.
 */
function waitingMessage(state: MailState, { role, name }: FailedFile): Message | null {
  for (const { message, deliveries } of state.mail.values()) {
    const at = deliveries.get(role)?.at;
    const waits = at === 'withdrawn' || at === 'inbox' || at === 'claimed';
    if (waits && fileName(message) === name) return message;
  }
  return null;
}

/**
 * A failed message, or why it cannot be retried. Any process can write a file there: only the
 * journal proves what was sent.
 */
function failedMessage(
  ledger: MailLedger,
  mailboxes: Mailboxes,
  target: FailedFile,
): Message | Reason | null {
  try {
    const id = mailboxes.holds(target.role, 'failed', target.name) ? idInName(target.name) : null;
    if (id === null) return null;
    const message = ledger.state.mail.get(id)?.message;
    if (message && fileName(message) === target.name) return message;
    const text = `the journal has no message ${id}: its thread ended long ago, or Mailroom did not write that file; send its text again`;
    return { code: 'E_REFUSED', text };
  } catch (error) {
    if (!(error instanceof MailroomError) || error.code === 'E_DISK') throw error;
    return { code: error.code, text: error.message };
  }
}
