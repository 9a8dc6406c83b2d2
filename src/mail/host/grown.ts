import type { Mailboxes } from '../mailboxes/mailboxes.ts';
import type { Watched } from '../mailboxes/accepting.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { fileName, monthOf } from '../format/message.ts';
import { copyKey } from '../machine/fold/places.ts';
import { isHuman, type Protocol } from '../format/protocol.ts';
import type { Mail } from '../machine/state.ts';
import type { MessageId, RoleName } from '../../kernel/ids.ts';
import type { MailLedger } from './ledger.ts';
import { notifyOnce, wasNotified } from './notices.ts';

/** How long an accepted file is watched, in milliseconds. */
const watchMs = 60_000;
/** What of a file that is withdrawn is said to its sender. */
const writing = 'Still being written';
/** How often, in milliseconds. */
const againMs = 1_000;

/**
 * Watches accepted files that a process may still write which cannot be seen. One that grows before
 * its turn has begun goes back to the inbox, and its message is withdrawn; a later one is put aside
 * for its sender. Every step can be repeated, so that a crash between them loses nothing.
 */
export class Grown {
  readonly #ledger: MailLedger;
  readonly #mailboxes: Mailboxes;
  readonly #protocol: Protocol;
  /** True at the start: an earlier host may have watched some. */
  #hasAny = true;
  readonly #since = new Map<MessageId, number>();
  /** Files whose sender knows. */
  readonly #named = new Set<MessageId>();

  constructor(ledger: MailLedger, mailboxes: Mailboxes, protocol: Protocol) {
    this.#ledger = ledger;
    this.#mailboxes = mailboxes;
    this.#protocol = protocol;
  }

  /** Begins to watch an accepted file that the journal has. */
  watch(id: MessageId): void {
    this.#mailboxes.accepting.watch(id);
    this.#hasAny = true;
  }

  /**
   * In how many milliseconds to look again; null: none is watched. `now`: of a clock that is not
   * set, in milliseconds.
   */
  look(now: number): number | null {
    const watched = this.#hasAny ? this.#mailboxes.accepting.watched() : [];
    this.#hasAny = watched.length > 0;
    for (const file of watched) {
      const since = this.#since.get(file.id) ?? now;
      this.#since.set(file.id, since);
      if (file.hasGrown) this.#grew(file);
      else if (now - since >= watchMs) this.#end(file.id, () => this.#mailboxes.accepting.remove(file.id));
    }
    return watched.length === 0 ? null : againMs;
  }

  #grew(file: Watched): void {
    const mail = this.#ledger.state.mail.get(file.id);
    const places = [...(mail?.deliveries ?? [])].map(([, { at }]) => at);
    const isOurs = wasNotified(this.#ledger, aboutOf(file, 'user', writing));
    if (mail !== undefined && places.every((at) => at === 'inbox')) this.#withdraw(mail, file);
    else if (isOurs && places.length > 0 && places.every((at) => at === 'withdrawn'))
      this.#end(file.id, () => this.#mailboxes.putBack(file.id, file.role, nameOf(file)));
    else this.#putAside(file, mail);
  }

  /** What its person has just removed is theirs to withdraw. */
  #withdraw({ message, deliveries }: Mail, file: Watched): void {
    const { pendingProjections } = this.#ledger.state;
    const isThere = (role: RoleName) =>
      pendingProjections.has(copyKey(file.id, role)) ||
      this.#mailboxes.holds(role, 'inbox', fileName(message));
    if (![...deliveries.keys()].every(isThere)) return;
    // First, as it shows after a crash who has withdrawn it.
    const then = 'Its message is withdrawn. The whole file is accepted as soon as it is complete.';
    this.#notify(file, message.from, writing, then);
    const facts = [...deliveries.keys()].map((recipient) => {
      return { type: 'withdrawn', message: file.id, recipient, notices: [] } as const;
    });
    this.#ledger.record(facts);
  }

  #putAside(file: Watched, mail: Mail | undefined): void {
    const { id, role } = file;
    const month = monthOf(this.#ledger.now());
    if (this.#named.has(id)) return this.#end(id, () => this.#mailboxes.keep(id, role, month, nameOf(file)));
    const then = `${overBecause(mail, role)}. The whole file lies in agents/${role}/failed/${month}/: send what is missing as a new message.`;
    this.#notify(file, mail?.message.from ?? 'user', 'Written after it was accepted', then);
    this.#named.add(id);
  }

  /** Notifies `user`, and the person who sent it. */
  #notify(file: Watched, from: string, what: string, then: string): void {
    const name = oneLine(nameOf(file), 80);
    const lines = [
      `agents/${file.role}/inbox/${name} grew after it was accepted: a process that Mailroom cannot see still wrote it.`,
      then,
    ];
    const isOther = this.#protocol.roles.has(from) && isHuman(this.#protocol, from);
    for (const to of new Set(['user', ...(isOther ? [from] : [])]))
      notifyOnce(this.#ledger, aboutOf(file, to, what), `${what}: ${name}`, lines, to);
  }

  #end(id: MessageId, act: () => unknown): void {
    act();
    this.#since.delete(id);
    this.#named.delete(id);
  }
}

function aboutOf({ id }: Watched, to: string, what: string): readonly string[] {
  return ['grown', id, to, what];
}

/** Why nothing takes the whole file in place of its first part, in words. */
function overBecause(mail: Mail | undefined, role: RoleName): string {
  const at = mail?.deliveries.get(role)?.at;
  if (at === 'withdrawn') return 'Its message was removed from the inbox';
  return at === undefined || at === 'failed'
    ? 'Its message is over'
    : `${role} has begun to work on its first part`;
}

function nameOf({ name }: Watched): string {
  return name ?? 'grown.md';
}
