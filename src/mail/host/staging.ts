import { basename } from 'node:path';
import { unlessFault } from '../../kernel/passing.ts';
import { counted } from '../../kernel/enumerate.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Invocation } from '../../providers/provider.ts';
import type { Dropped } from '../format/boxes.ts';
import { stagedFiles } from '../mailboxes/turn-folders.ts';
import type { MailLedger } from './ledger.ts';
import type { MailPorts } from './ports.ts';
import { notifyOnce } from './notices.ts';

/** How many files a correction names; it counts, or mentions, the rest. */
const mostNamed = 10;

/** What a turn has left outside of its staging folder. */
export interface Left {
  /** What it did wrong, for its correction. */
  readonly violations: readonly string[];
  /** The names in its staging folder of files that came from its role's outbox. */
  readonly borrowed: ReadonlySet<string>;
  /** Why its role's outbox was not read; null: it was. */
  readonly unread: string | null;
}

interface Open {
  readonly violations: string[];
  /** How many violations are not among these. */
  more: number;
  readonly borrowed: Set<string>;
}

type TurnAt = Pick<Invocation, 'turn' | 'attempt' | 'role'>;

/** What roles with open turns write into their outboxes, and into mail folders of a worktree. */
export class Staging {
  readonly #ports: Pick<MailPorts, 'folders' | 'mailboxes'>;
  readonly #running: (role: RoleName) => readonly TurnAt[];
  readonly #open = new Map<string, Open>();

  /** `running`: the turns of a role whose agents run. */
  constructor(
    ports: Pick<MailPorts, 'folders' | 'mailboxes'>,
    running: (role: RoleName) => readonly TurnAt[],
  ) {
    this.#ports = ports;
    this.#running = running;
  }

  /**
   * Whether files in this outbox stay until its role's turns end (`isWhole`: see `BoxNames`): it
   * holds more than one turn may hand over, or one has handed over so many. */
  holds(role: RoleName, isWhole: boolean): boolean {
    const open = this.#running(role);
    return (
      open.length > 0 &&
      (!isWhole || open.some(({ turn }) => (this.#open.get(turn)?.borrowed.size ?? 0) >= stagedFiles))
    );
  }

  /**
   * Moves a file in a role's outbox into the role's open turn. With several open turns its author
   * is ambiguous: each gets a correction, and the file is judged as a person's.
   */
  stage({ role, name }: Dropped): boolean {
    const open = this.#running(role);
    const [only] = open;
    if (only && open.length === 1) {
      const staged = this.#ports.folders.stage(only.turn, only.attempt, { role, name });
      if (staged !== null) this.#of(only.turn).borrowed.add(staged);
      return staged !== null;
    }
    const why = `\`${name}\` was written to agents/${role}/outbox: write to $MAILROOM_OUTBOX`;
    for (const { turn } of open) this.violate(turn, why);
    return false;
  }

  violate(turn: string, text: string): void {
    const open = this.#of(turn);
    if (open.violations.length < mostNamed) open.violations.push(text);
    else open.more += 1;
  }

  /**
   * Takes the last files in the role's outbox, and says what the turn has left. `worktree`: its
   * checkout; null: it has none. The next scan reports disk errors. Throws a fault of the machine.
   */
  last(at: TurnAt, worktree: string | null): Left {
    const unread = unlessFault(() => this.#stageLast(at), null);
    const { violations, more, borrowed } = this.#of(at.turn);
    const strays =
      worktree === null
        ? []
        : unlessFault(() => this.#ports.folders.strays(basename(worktree), mostNamed + 1), []);
    const others = [
      ...(more > 0 ? [`${counted(more, 'more file')} likewise`] : []),
      ...strays
        .slice(0, mostNamed)
        .map((path) => `\`${path}\` was written in the worktree, ${noMail}: write to $MAILROOM_OUTBOX`),
      ...(strays.length > mostNamed ? [`more files were written in the worktree, ${noMail}`] : []),
    ];
    const masked = this.#ports.folders.mask.name;
    const all = [...violations, ...(unread === null ? [] : [unread]), ...others].map(masked);
    return { violations: all, borrowed, unread: unread === null ? null : masked(unread) };
  }

  /** Forgets a turn whose attempt is over. */
  forget(turn: string): void {
    this.#open.delete(turn);
  }

  /**
   * Takes what its agent has left in the outbox. Returns why not all of it could be read; null: it
   * is in the staging folder, or was judged as a person's.
   */
  #stageLast({ turn, attempt, role }: TurnAt): string | null {
    const box = this.#ports.mailboxes.look(role, 'outbox', stagedFiles);
    if (box === null) return null;
    const running = this.#running(role);
    if (box.isWhole && this.#of(turn).borrowed.size + box.names.length <= stagedFiles) {
      for (const name of box.names) unlessFault(() => this.stage({ role, box: 'outbox', name }), false);
      return null;
    }
    // Another turn of the role has the folder open.
    const place =
      running.length > 1 ? `agents/${role}/outbox` : this.#ports.folders.keepOutbox(turn, attempt, role);
    return unreadText(role, place);
  }

  /**
   * Sets aside what turns that a crash ended have left in their roles' outboxes, where it is more
   * than one turn may hand over, and notifies `user`.
   */
  keepLeft(turns: readonly TurnAt[], ledger: MailLedger): void {
    for (const { turn, attempt, role } of turns) {
      const isWhole = this.#ports.mailboxes.look(role, 'outbox', stagedFiles)?.isWhole ?? true;
      if (isWhole) continue;
      const place = this.#ports.folders.keepOutbox(turn, attempt, role);
      const lines = [`${unreadText(role, place)}.`, 'The controller ended while a turn of this role ran.'];
      notifyOnce(ledger, [turn, String(attempt), place], `Not read: agents/${role}/outbox`, lines);
    }
  }

  #of(turn: string): Open {
    const known = this.#open.get(turn);
    if (known !== undefined) return known;
    const open = { violations: [], more: 0, borrowed: new Set<string>() };
    this.#open.set(turn, open);
    return open;
  }
}

const noMail = 'where no messages are read';

function unreadText(role: RoleName, place: string): string {
  return `agents/${role}/outbox held more than ${counted(stagedFiles, 'file')}, the most that one turn may hand over: they lie unread in ${place}`;
}
