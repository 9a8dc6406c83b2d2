import type { Command, Fact, Reason, Target } from '../core/mail/event.ts';
import { refusal } from '../core/mail/rules/commands.ts';
import { fileName, type Message, type RoleName } from '../core/mail/message.ts';
import type { MailState } from '../core/mail/state.ts';
import type { Protocol } from '../core/mail/protocol.ts';
import type { Control, Mailboxes } from '../core/ports.ts';
import { MailroomError } from '../core/errors.ts';
import { isJsonObject, parseJson, type Json } from '../core/json.ts';
import { readStored } from './stored.ts';
import type { Ledger } from './ledger.ts';

/** One file in `.mailroom/control/`: what another process asks of the controller. */
export interface ControlFile {
  readonly id: string;
  readonly at: number;
  readonly by: string;
  readonly verb: Command['verb'];
  readonly target: Target | { readonly kind: 'letter'; readonly role: RoleName; readonly name: string };
  readonly now: boolean;
}

/**
 * The commands that other processes put into the control folder; each becomes one event with its verdict. A file that
 * cannot be removed afterwards is not taken again.
 */
export class Commands {
  readonly #ledger: Ledger;
  readonly #protocol: Protocol;
  readonly #ports: { readonly control: Control; readonly mailboxes: Mailboxes };
  /** Recorded, and still in the folder. */
  readonly #taken = new Set<string>();

  constructor(ledger: Ledger, protocol: Protocol, ports: { control: Control; mailboxes: Mailboxes }) {
    this.#ledger = ledger;
    this.#protocol = protocol;
    this.#ports = ports;
  }

  /**
   * Records the verdicts. Returns the roles that a person wants to go on. Throws `E_DISK` where the disk does not say what
   * is asked; what was recorded before that stays taken.
   */
  take(): RoleName[] {
    const unpaused: RoleName[] = [];
    for (const { name, text } of this.#ports.control.list()) {
      if (this.#taken.has(name)) continue;
      const file = text === null ? null : parse(text);
      if (file) this.#ledger.record([verdict(this.#ledger, this.#protocol, this.#ports.mailboxes, file)]);
      this.#taken.add(name);
      if (file?.verb === 'unpause' && file.target.kind === 'role') unpaused.push(file.target.role);
      if (file?.verb === 'unpause' && file.target.kind === 'all')
        unpaused.push(...this.#protocol.roles.keys());
    }
    return unpaused;
  }

  /** Removes the files whose verdicts are durable. Throws `E_DISK`. */
  release(): void {
    for (const name of this.#taken) {
      this.#ports.control.remove(name);
      this.#taken.delete(name);
    }
  }
}

function verdict(ledger: Ledger, protocol: Protocol, mailboxes: Mailboxes, file: ControlFile): Fact {
  const { id, by } = file;
  const command = commandOf(ledger, mailboxes, file);
  if ('code' in command) {
    const target: Target = { kind: 'all' };
    return { type: 'controlled', id, by, command: { verb: 'unpause', target, now: false }, refusal: command };
  }
  return { type: 'controlled', id, by, command, refusal: refusal(ledger.state, protocol, command) };
}

function commandOf(
  ledger: Ledger,
  mailboxes: Mailboxes,
  { verb, target, now }: ControlFile,
): Command | Reason {
  if (verb === 'retry') {
    if (target.kind !== 'letter') return { code: 'E_TARGET', text: 'only a message can be retried' };
    const found = deadLetter(ledger, mailboxes, target) ?? withdrawnLetter(ledger.state, target);
    if (found) return 'code' in found ? found : { verb, message: found, role: target.role };
    const text = `agents/${target.role}/failed has no message ${target.name}, and none of that name was withdrawn`;
    return { code: 'E_TARGET', text };
  }
  if (target.kind === 'letter') return { code: 'E_TARGET', text: `a message cannot be told to ${verb}` };
  return verb === 'cancel' ? { verb, target } : { verb, target, now };
}

interface Letter {
  readonly role: RoleName;
  readonly name: string;
}

/** What was removed by hand has left no file, but as long as its thread is known the journal has its text. */
function withdrawnLetter(state: MailState, { role, name }: Letter): Message | null {
  for (const { message, deliveries } of state.mail.values())
    if (deliveries.get(role)?.at === 'withdrawn' && fileName(message) === name) return message;
  return null;
}

/** A message that failed, or why it cannot be told: somebody may have put anything there since. */
function deadLetter(ledger: Ledger, mailboxes: Mailboxes, target: Letter): Message | Reason | null {
  try {
    const text = mailboxes.read(target.role, 'failed', target.name);
    const stored = text === null ? null : readStored(text);
    return stored && (ledger.state.mail.get(stored.id)?.message ?? stored);
  } catch (error) {
    if (!(error instanceof MailroomError) || error.code === 'E_DISK') throw error;
    return { code: error.code, text: error.message };
  }
}

/** What each kind of target is named by. */
const targets: ReadonlyMap<string, readonly string[]> = new Map([
  ['all', []],
  ['role', ['role']],
  ['thread', ['thread']],
  ['turn', ['turn']],
  ['letter', ['role', 'name']],
]);

const verbs: readonly Json[] = ['pause', 'unpause', 'cancel', 'retry'] satisfies Command['verb'][];

function parse(text: string): ControlFile | null {
  const value = parseJson(text);
  if (!isJsonObject(value) || typeof value['id'] !== 'string' || typeof value['by'] !== 'string') return null;
  if (!verbs.includes(value['verb'] ?? null) || !isTarget(value['target'] ?? null)) return null;
  return { ...(value as unknown as ControlFile), now: value['now'] === true };
}

function isTarget(target: Json): boolean {
  if (!isJsonObject(target)) return false;
  const names = typeof target['kind'] === 'string' ? targets.get(target['kind']) : undefined;
  return names?.every((name) => typeof target[name] === 'string') === true;
}
