import type { Elsewhere } from './ports.ts';
import type { BoxNames, Mailboxes } from '../mailboxes/mailboxes.ts';
import type { Glance } from '../mailboxes/settling.ts';
import type { Fact, Notice } from '../machine/event.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { earliest } from '../../kernel/times.ts';
import { idInName } from '../format/message.ts';
import type { Protocol } from '../format/protocol.ts';
import { admit } from '../machine/rules/admit.ts';
import { noticeToUser } from '../machine/rules/notices.ts';
import { problemText } from '../../host/problems.ts';
import { parseMessage } from '../format/read-message.ts';
import type { DiskGuard } from '../../disk/disk-guard.ts';
import type { Writing } from '../../disk/writers.ts';
import { namesOf, type Expected } from './project.ts';
import type { MailLedger } from './ledger.ts';
import { Grown } from './grown.ts';
import { NewTasks } from './new-tasks.ts';
import { reportRefused } from './notices.ts';
import type { Listing } from './listing.ts';
import type { Staging } from './staging.ts';
import { trusted, returned } from './known-files.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Accepted, Box, Dropped } from '../format/boxes.ts';

/**
 * Maximum number of files judged in one look; the rest waits for the next, so that one sync serves
 * many and none waits long.
 */
const batch = 256;

/** The result of a look at the mailboxes. */
export interface Looked {
  /** When to look again because a file may be complete then; null: never. */
  readonly wake: number | null;
  /** True when there may be more: the batch was full, or came from an earlier listing. */
  readonly more: boolean;
  /** When to look again at accepted files that may grow; null: never. No work waits for it. */
  readonly watch: number | null;
}

/** How long mail that cannot be read yet holds up deadlines after a start, in milliseconds. */
const catchUpMs = 60_000;

/**
 * Whether what lay in the folders at a start, or after a suspension, has been read: answers that
 * are there come before deadlines that passed meanwhile.
 */
export class CatchingUp {
  readonly #elsewhere: Elsewhere | undefined;
  #since: number | null = null;
  #isOver = false;

  constructor(elsewhere?: Elsewhere) {
    this.#elsewhere = elsewhere;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** After a suspension. */
  again(): void {
    [this.#since, this.#isOver] = [null, false];
    this.#elsewhere?.refresh();
  }

  /** `isAll`: whether the look read the mailboxes. What lies elsewhere comes there first. */
  looked(isAll: boolean, { wake, more }: Looked, now: number): void {
    this.#since ??= now;
    const isRead = isAll && this.#elsewhere?.isFresh !== false && wake === null && !more;
    this.#isOver ||= isRead || now - this.#since > catchUpMs;
  }
}

interface Found extends Dropped {
  /** When it was last written, in milliseconds since 1970; 0: unknown. */
  readonly written: number;
}

/** Files of a box in the order in which they are judged. */
interface Queue {
  readonly files: readonly Found[];
  /** When to look again at those judged before; null: never. */
  readonly wake: number | null;
}

/** Accepts the files that people and agents drop into the mailboxes. */
export class Intake {
  readonly #ledger: MailLedger;
  readonly #mailboxes: Mailboxes;
  readonly #protocol: Protocol;
  readonly #expected: Expected;
  readonly #newId: () => string;
  /** The clock that file times are compared with. */
  readonly #wall: () => number;
  readonly #elapsed: () => number;
  readonly #staging: Pick<Staging, 'stage' | 'holds'>;
  readonly #tasks: NewTasks;
  readonly #grown: Grown;
  #names = new Map<string, string>();
  /** By role: mail without a journal, such as of an earlier one that was removed. */
  readonly #found = new Map<RoleName, { readonly names: ReadonlySet<string>; readonly isWhole: boolean }>();
  /** By box: the files of its last listing that no batch had room for. */
  readonly #left = new Map<string, Queue>();

  constructor(
    ledger: MailLedger,
    ports: { mailboxes: Mailboxes; newId: () => string; clock: Clock },
    protocol: Protocol,
    expected: Expected,
    staging: Pick<Staging, 'stage' | 'holds'>,
  ) {
    this.#ledger = ledger;
    this.#mailboxes = ports.mailboxes;
    this.#newId = ports.newId;
    this.#wall = () => ports.clock.now();
    this.#elapsed = () => ports.clock.elapsed?.() ?? ports.clock.now();
    this.#protocol = protocol;
    this.#expected = expected;
    this.#staging = staging;
    this.#tasks = new NewTasks(ledger, protocol);
    this.#grown = new Grown(ledger, ports.mailboxes, protocol);
  }

  /**
   * Moves complete files to `accepting`, the oldest first, then records each of them. A disk error
   * delays only its own file. Each box has an equal share of the batch, whatever lies in the
   * others; the next looks take the rest of a box before they list it again.
   */
  look(roles: readonly RoleName[], disk: DiskGuard, list: Listing): Looked {
    const { hasMore } = this;
    const queues = roles.flatMap((role) =>
      (['inbox', 'outbox'] as const).map((box) => this.#queueOf(role, box, list, disk)),
    );
    const shares = sharesOf(queues.map(({ files }) => files.length));
    const judged = inOrder(queues.flatMap(({ files }, index) => files.slice(0, shares[index])));
    const now = this.#wall();
    const glances = new Map(
      judged.map((file) => [file, disk.attempt(() => this.#mailboxes.glance(file, now), null)]),
    );
    const quiet = judged.filter((file) => glances.get(file)?.isQuiet === true);
    // One look at the processes for all.
    const writing = this.#mailboxes.writing(quiet);
    const pending = new Set(
      [...this.#ledger.state.pendingProjections.values()].map((projection) => projection.role),
    );
    const untils = new Map(
      judged.map((file) => {
        const take = () => this.#take(file, pending, glances.get(file) ?? null, writing.get(file));
        return [file, disk.attempt(take, Infinity)];
      }),
    );
    const isTaken = [...untils.values()].includes(null);
    const wakes: number[] = [];
    for (const [index, { files, wake }] of queues.entries()) {
      const share = shares[index] ?? 0;
      const waits = files.slice(0, share).map((file) => untils.get(file) ?? Infinity);
      const soonest = earliest([wake ?? Infinity, ...waits].filter((until) => until !== Infinity));
      const [first] = files;
      if (share < files.length && first !== undefined)
        this.#left.set(keyOf(first), { files: files.slice(share), wake: soonest });
      else if (soonest !== null) wakes.push(soonest);
    }
    if (this.#unrecorded) disk.attempt(() => this.recordAccepted(), undefined);
    // A rest of an earlier listing does not show what came since.
    const more = this.hasMore || (hasMore && (roles.length === 0 || isTaken));
    const again = disk.attempt(() => this.#grown.look(this.#elapsed()), null);
    const watch = again === null ? null : this.#wall() + again;
    return { wake: earliest(wakes), more, watch };
  }

  /** Why complete files wait, in words. */
  get waits(): readonly string[] {
    return this.#tasks.waits;
  }

  /** True while files of an earlier listing remain. */
  get hasMore(): boolean {
    return this.#left.size > 0;
  }

  /** Whether files of an earlier listing of this box remain. */
  hasLeft(role: RoleName, box: Box): boolean {
    return this.#left.has(keyOf({ role, box }));
  }

  /** Unexpected files: the rest of the last listing, else a new listing of the box. */
  #queueOf(role: RoleName, box: Box, list: Listing, disk: DiskGuard): Queue {
    const key = keyOf({ role, box });
    const left = this.#left.get(key);
    this.#left.delete(key);
    const isNew = ({ name }: Pick<Dropped, 'name'>) => !this.#isExpected(role, box, name);
    const rest = left?.files.filter(isNew) ?? [];
    if (left !== undefined && rest.length > 0) return { files: rest, wake: left.wake };
    const listed = disk.attempt(() => list(role, box), null);
    if (listed === null || (box === 'outbox' && this.#staging.holds(role, listed.isWhole)))
      return { files: [], wake: null };
    if (box === 'inbox' && this.#ledger.fresh) this.#find(role, listed);
    const files = listed.names.filter((name) => isNew({ name })).map((name) => ({ role, box, name }));
    const written = (file: Dropped) => disk.attempt(() => this.#mailboxes.written(file), 0);
    return { files: inOrder(files.map((file) => ({ ...file, written: written(file) }))), wake: null };
  }

  /** Notes what lies in an inbox when the very first controller begins, until it has seen all. */
  #find(role: RoleName, { names, isWhole }: BoxNames): void {
    const found = this.#found.get(role) ?? { names: new Set(), isWhole: false };
    if (found.isWhole) return;
    this.#found.set(role, { names: new Set([...found.names, ...names]), isWhole });
  }

  /** Since the listing, a projection may have written a file of that name. */
  #isExpected(role: RoleName, box: Box, name: string): boolean {
    return box === 'inbox' && namesOf(this.#expected, role).has(name);
  }

  /**
   * Null: accepted, or handled mail that reappeared, which is removed. Else when to look at this
   * file again; Infinity is never.
   */
  #take(
    file: Dropped,
    pending: ReadonlySet<RoleName>,
    glance: Glance | null,
    writing: Writing | undefined,
  ): number | null {
    const { role, box, name } = file;
    if (box === 'inbox' && idInName(name) !== null) {
      // Until everything is projected, a projected file may still be in its old place.
      if (pending.has(role)) return Infinity;
      if (this.#mailboxes.holds(role, 'processed', name) || this.#mailboxes.holds(role, 'failed', name)) {
        this.#mailboxes.remove(role, box, name);
        return null;
      }
    }
    if (glance === null) return Infinity;
    const settled = this.#mailboxes.settled(file, glance, writing);
    if (settled.is === 'wait') return settled.until;
    if (settled.is === 'gone') return Infinity;
    if (box === 'outbox' && settled.is === 'complete' && this.#staging.stage(file)) return null;
    const held = box === 'inbox' ? this.#tasks.admit(file) : null;
    if (held !== null) return held;
    const id = this.#newId();
    if (!this.#mailboxes.accept(file, id)) return Infinity;
    this.#names.set(id, name);
    if (box === 'inbox') this.#tasks.accepted(file);
    if (writing === 'unknown') this.#unseen.add(id);
    this.#unrecorded = true;
    return null;
  }

  /**
   * Records everything in `accepting`: from this look, and from a host that was killed before it
   * could.
   */
  recordAccepted(): void {
    for (const accepted of this.#mailboxes.accepting.all()) {
      if (this.#done.has(accepted.id)) continue;
      if (!this.#isKnown(accepted.id)) this.#ledger.record(this.#judge(accepted));
      this.#done.add(accepted.id);
    }
    for (const file of this.#mailboxes.accepting.refused()) reportRefused(this.#ledger, file);
    this.#tasks.recorded();
    this.#unrecorded = false;
  }

  /**
   * Refuses the files in the outboxes of these roles, with the reason beside each: a turn that a
   * crash ended wrote them, and like everything from such a turn they are dropped. The next attempt
   * writes them again.
   */
  refuseLeft(roles: ReadonlySet<RoleName>, disk: DiskGuard): void {
    for (const role of roles) disk.attempt(() => this.#takeLeft(role), undefined);
    for (const { id, role, box, content, name } of this.#mailboxes.accepting.all()) {
      if (box !== 'outbox' || !roles.has(role) || this.#isKnown(id)) continue;
      const reason = {
        code: 'E_TURN',
        text: `the controller ended while ${role} wrote this in a turn`,
      } as const;
      const text = content.ok ? content.text : '';
      const dropped = name ?? 'outbox file';
      this.#ledger.record([{ type: 'refused', id, role, box, name: dropped, text, reason, notices: [] }]);
      this.#done.add(id);
    }
  }

  #takeLeft(role: RoleName): void {
    for (const name of this.#mailboxes.list(role, 'outbox') ?? []) {
      const id = this.#newId();
      if (this.#mailboxes.accept({ role, box: 'outbox', name }, id)) this.#names.set(id, name);
    }
  }

  #isKnown(id: string): boolean {
    return this.#ledger.state.mail.has(id) || this.#ledger.state.pendingProjections.has(id);
  }

  readonly #done = new Set<string>();
  /** Files whose writers could not be seen. */
  readonly #unseen = new Set<string>();
  /** A file in `accepting` is not recorded yet: the disk may have failed in between. */
  #unrecorded = false;

  /**
   * Removes accepted files after the flush, as the journal has them, or watches them as long as
   * they may grow. Those in `kept` are still to be moved to `failed`.
   */
  release(kept: ReadonlySet<string>): void {
    for (const id of this.#done) {
      if (kept.has(id)) continue;
      if (this.#unseen.has(id) || this.#mailboxes.accepting.hasGrown(id)) this.#grown.watch(id);
      else this.#mailboxes.accepting.remove(id);
      this.#done.delete(id);
      this.#unseen.delete(id);
      this.#names.delete(id);
    }
  }

  #judge(accepted: Accepted): Fact[] {
    const { content, id } = accepted;
    const back = content.ok ? returned(this.#ledger.state, accepted, content.text, id) : null;
    const facts = back ?? [this.#judgeNew(accepted)];
    return accepted.box === 'inbox' ? facts.map((fact) => ({ ...fact, inbox: accepted.role })) : facts;
  }

  #judgeNew(accepted: Accepted): Fact {
    const { id, role, box, content } = accepted;
    const name = accepted.name ?? this.#names.get(id) ?? `${box} file`;
    if (!content.ok) return this.#refuse(accepted, name, '', [content.problem]);
    if (content.text.trim() === '') return this.#refuse(accepted, name, '', ['it is empty']);
    const parsed = parseMessage(content.text, `agents/${role}/${box}/${name}`);
    if (!parsed.ok) return this.#refuse(accepted, name, content.text, parsed.problems.map(problemText));
    const created = this.#ledger.now();
    const isOld = this.#found.get(role)?.names.has(name) === true;
    const old = isOld ? trusted(this.#protocol, { role, box, id, created }, parsed.value) : null;
    const addressed =
      old ?? admit(this.#ledger.state, this.#protocol, { role, box, id, created }, parsed.value);
    if ('problems' in addressed) return this.#refuse(accepted, name, content.text, addressed.problems);
    return { type: 'accepted', sent: addressed.sent };
  }

  #refuse(accepted: Accepted, name: string, text: string, problems: readonly string[]): Fact {
    const { id, role, box } = accepted;
    const reason = { code: text === '' ? 'E_FILE' : 'E_MESSAGE', text: problems.join('; ') } as const;
    const notices: Notice[] = [
      noticeToUser(null, `Refused: agents/${role}/${box}/${name.slice(0, 80)}`, [
        'This file was not accepted as a message:',
        '',
        ...problems.map((problem) => `- ${oneLine(problem)}`),
        '',
        `It lies in agents/${role}/failed/ with the reason beside it. Fix it and put it back into the inbox.`,
      ]),
    ];
    return { type: 'refused', id, role, box, name, text, reason, notices };
  }
}

function keyOf({ role, box }: Pick<Dropped, 'role' | 'box'>): string {
  return `${role}/${box}`;
}

/** In the order in which they were written, then by name. */
function inOrder(files: readonly Found[]): Found[] {
  return files.toSorted((a, b) => a.written - b.written || (a.name < b.name ? -1 : 1));
}

/** How many of each box are judged: of small ones all, and of the others equally many. */
function sharesOf(lengths: readonly number[]): number[] {
  const shares = lengths.map(() => 0);
  let room = batch;
  let waiting = lengths.length;
  for (const index of [...lengths.keys()].toSorted((a, b) => lengths[a]! - lengths[b]!)) {
    const share = Math.min(lengths[index]!, Math.ceil(room / waiting));
    shares[index] = share;
    room -= share;
    waiting -= 1;
  }
  return shares;
}
