import {
  roleBranch,
  type Entering,
  type Leaving,
  type TakenWork,
  type Worked,
} from '../../../../src/kernel/work.ts';
import type { MailEvent } from '../../../../src/mail/machine/event.ts';
import type { Random } from '../random.ts';
import { foldsTo, type Change, type Changes } from './fold.ts';

/** A commit: all changes that it contains, and the last one of each file. */
interface Commit {
  readonly changes: Changes;
  readonly tree: ReadonlyMap<string, string>;
}

/** A merge; the files that both sides have changed. */
interface Merged extends Commit {
  readonly conflicts: readonly string[];
}

/** Both sides of a merge lie in a checkout. */
type Laid = Merged & { readonly ours: string; readonly theirs: string };

/** Whether a conflict is resolved when it is looked at. */
export type Resolves = () => boolean;

/** The first commit. Commits have names as git's are. */
const first = '0'.repeat(40);

/** Where a person's own changes are made. */
const target = 'main';

/** What roles change, some more often. In the last nobody can put a conflict marker. */
const files = ['a.txt', 'a.txt', 'a.txt', 'b.txt', 'c.bin'];

const isText = (file: string) => file.endsWith('.txt');

type Swap = { readonly onto: string; readonly result: string };

/** The branch that work lands on, and a person's checkout of it. */
class VirtualBranch {
  tip = first;
  /** A person has changed files, and not committed them. */
  isDirty = false;
  /** What the mail moved it to. */
  readonly landings: string[] = [];

  move(commit: string, by: 'mail' | 'person' = 'mail'): void {
    this.tip = commit;
    if (by === 'mail') this.landings.push(commit);
  }
}

/** What git has of the roles' work. Outlives controllers. */
export class VirtualWork {
  readonly problems: string[] = [];
  readonly target = new VirtualBranch();
  readonly #random: Random;
  readonly #commits = new Map<string, Commit>([[first, { changes: new Set(), tree: new Map() }]]);
  readonly #branches = new Map<string, string>();
  /** The commits that threads begin at. */
  readonly #bases = new Map<string, string>();
  /** Changes in checkouts that no commit has, by branch. */
  readonly #uncommitted = new Map<string, readonly string[]>();
  /** The conflicts that lie in checkouts, by branch. */
  readonly #conflicts = new Map<string, Laid>();
  readonly #made = new Map<string, Change>();
  /** What a branch got from others without a message: the work that its role met. */
  readonly #met = new Map<string, string[]>();
  /** The invocation that works in a checkout, by branch. */
  readonly #working = new Map<string, string>();
  #count = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** No process outlives its controller. */
  crash(): void {
    this.#working.clear();
  }

  end(key: string): void {
    for (const [branch, working] of this.#working) if (working === key) this.#working.delete(branch);
  }

  begin(branch: string, key: string): void {
    if (this.#working.has(branch))
      this.problems.push(`${key} and ${this.#working.get(branch) ?? ''} work in the checkout of ${branch}`);
    this.#working.set(branch, key);
  }

  /** `isResolved`: what a person who was asked has done. */
  enter(entering: Entering, isResolved: Resolves): Worked {
    const { branch, thread, edits, takes, base, last, resolving } = entering;
    if (!this.#bases.has(thread)) this.#bases.set(thread, base ?? this.target.tip);
    const tip = this.#branches.get(branch) ?? last ?? this.#bases.get(thread) ?? first;
    this.#branches.set(branch, tip);
    if (edits && last !== null && !this.#contains(tip, last))
      this.problems.push(`${branch} has lost ${last}`);
    const laid = this.#conflicts.get(branch);
    if (takes === null || (laid && resolving === 'role')) return { ok: true, commit: tip };
    for (const { commit } of takes)
      if (!this.#commits.has(commit)) this.problems.push(`a message names the unknown commit ${commit}`);
    if (laid && resolving === 'person') {
      if (!isResolved()) return conflict('person');
      this.#resolve(branch, laid);
    } else if (laid) {
      // No turn finished this merge.
      this.#uncommitted.delete(branch);
      this.#conflicts.delete(branch);
    }
    const own = edits ? this.#committed(branch, this.#tip(branch)) : this.#tip(branch);
    return this.#take(branch, own, entering, takes);
  }

  /** Merges work into a branch, up to the first conflict, which is laid out. */
  #take(
    branch: string,
    own: string,
    { edits, resolves }: Pick<Entering, 'edits' | 'resolves'>,
    takes: readonly TakenWork[],
  ): Worked {
    let at = edits ? own : (takes[0]?.commit ?? own);
    for (const { commit } of takes) {
      const merged = this.#merge(at, commit);
      if (typeof merged === 'string') {
        at = merged;
        continue;
      }
      // A person has resolved it in the checkout of a role that only reads.
      if (this.#contains(own, at) && this.#contains(own, commit))
        return this.#take(branch, own, { edits: true, resolves }, takes);
      this.#move(branch, at);
      this.#conflicts.set(branch, merged);
      return conflict(
        resolves === 'all' || (resolves === 'text' && merged.conflicts.every(isText)) ? 'role' : 'person',
      );
    }
    return { ok: true, commit: this.#move(branch, at) };
  }

  /** The commit that has both, or the conflict. */
  #merge(ours: string, theirs: string): string | Laid {
    if (this.#contains(ours, theirs)) return ours;
    if (this.#contains(theirs, ours)) return theirs;
    const [one, other] = [this.#of(ours), this.#of(theirs)];
    const changes = new Set([...one.changes, ...other.changes]);
    const tree = new Map(one.tree);
    const conflicts: string[] = [];
    for (const [file, change] of other.tree) {
      const own = one.tree.get(file);
      if (change === own || one.changes.has(change)) continue;
      if (own !== undefined && !other.changes.has(own)) conflicts.push(file);
      else tree.set(file, change);
    }
    if (conflicts.length > 0) return { ours, theirs, changes, tree, conflicts };
    return this.#add({ changes, tree });
  }

  /** The content of a checkout, and the last commit on its branch. */
  pack(branch: string): { readonly commit: string; readonly head: string } {
    const head = this.#tip(branch);
    const changes = this.#uncommitted.get(branch) ?? [];
    if (changes.length === 0) return { commit: head, head };
    return { commit: this.#with(this.#of(head), changes), head };
  }

  /** Lays out what a checkout on another host contained in the end. */
  unpack(branch: string, { commit, head }: { readonly commit: string; readonly head: string }): Worked {
    const tip = this.#tip(branch);
    if (!this.#contains(head, tip)) this.problems.push(`${branch} has lost ${tip}`);
    const before = this.#of(head).changes;
    this.#uncommitted.set(
      branch,
      [...this.#of(commit).changes].filter((change) => !before.has(change)),
    );
    return { ok: true, commit: this.#move(branch, head) };
  }

  /** A commit with one more change, made by the role of this branch. */
  extend(commit: string, branch: string): string {
    const before = this.#of(commit);
    return this.#with(before, [this.#change(branch, before.changes)]);
  }

  /** An agent changes a file. */
  edit(branch: string): void {
    const changes = this.#uncommitted.get(branch) ?? [];
    const before = (this.#conflicts.get(branch) ?? this.#of(this.#tip(branch))).changes;
    this.#uncommitted.set(branch, [...changes, this.#change(branch, new Set([...before, ...changes]))]);
  }

  #change(branch: string, after: Changes, file: string = this.#random.pick(files)): string {
    const change = `change-${String((this.#count += 1))}`;
    this.#made.set(change, { branch, file, after });
    return change;
  }

  /** `isResolved`: what the role has done with the conflict that lies in its checkout. */
  leave({ branch, entered, takes, meets }: Leaving, isResolved: Resolves): Worked {
    const tip = this.#tip(branch);
    if (!this.#contains(tip, entered)) this.problems.push(`${branch} has lost ${entered}`);
    const laid = this.#conflicts.get(branch);
    if (laid && !isResolved()) return conflict('person');
    if (laid) this.#resolve(branch, laid);
    const own = this.#committed(branch, this.#tip(branch));
    const taken = this.#take(branch, own, { edits: true, resolves: 'all' }, takes);
    if (!taken.ok) return taken;
    for (const { commit } of meets) {
      const merged = this.#merge(taken.commit, commit);
      if (typeof merged === 'string') continue;
      this.#conflicts.set(branch, merged);
      this.#met.set(branch, [...(this.#met.get(branch) ?? []), commit]);
      return conflict('role');
    }
    return taken;
  }

  /** Commits a merge in which somebody has decided what each file says. */
  #resolve(branch: string, laid: Laid): void {
    const edits = this.#uncommitted.get(branch) ?? [];
    const after = new Set([...laid.changes, ...edits]);
    const decided = laid.conflicts.map((file) => this.#change(branch, after, file));
    this.#move(branch, this.#with(laid, [...edits, ...decided]));
    this.#uncommitted.delete(branch);
    this.#conflicts.delete(branch);
  }

  #committed(branch: string, tip: string): string {
    const changes = this.#uncommitted.get(branch) ?? [];
    this.#uncommitted.delete(branch);
    return changes.length === 0 ? tip : this.#move(branch, this.#with(this.#of(tip), changes));
  }

  /** A commit with further changes, in this order. */
  #with({ changes, tree }: Commit, more: readonly string[]): string {
    const changed = new Map(tree);
    for (const change of more) changed.set(this.#made.get(change)?.file ?? '', change);
    return this.#add({ changes: new Set([...changes, ...more]), tree: changed });
  }

  #add(commit: Commit): string {
    const name = (this.#count += 1).toString(16).padStart(40, '0');
    this.#commits.set(name, commit);
    return name;
  }

  #tip(branch: string): string {
    return this.#branches.get(branch) ?? first;
  }

  #move(branch: string, commit: string): string {
    this.#branches.set(branch, commit);
    return commit;
  }

  #of(commit: string): Commit {
    return this.#commits.get(commit) ?? { changes: new Set(), tree: new Map() };
  }

  #contains(commit: string, inner: string): boolean {
    const { changes } = this.#of(commit);
    return [...this.#of(inner).changes].every((change) => changes.has(change));
  }

  /** The commit that a branch has when work lands on it; null: it conflicts. */
  prepare(work: string): Swap | null {
    const onto = this.target.tip;
    const result = this.#merge(onto, work);
    return typeof result === 'string' ? { onto, result } : null;
  }

  /** Lays out in the checkout of a branch what its work conflicts with where it is to land. */
  meetTarget(branch: string): void {
    const { tip } = this.target;
    const merged = this.#merge(this.#tip(branch), tip);
    if (typeof merged === 'string') return;
    this.#conflicts.set(branch, merged);
    this.#met.set(branch, [...(this.#met.get(branch) ?? []), tip]);
  }

  /** Moves the branch, or finds out whether it was moved. False: somebody else moved it. */
  swap({ onto, result }: Swap, settles: boolean): boolean {
    if (!settles && this.target.tip === onto && onto !== result) this.target.move(result);
    return this.#contains(this.target.tip, result);
  }

  /** A person commits something on the branch. */
  push(): void {
    const before = this.#of(this.target.tip);
    this.target.move(this.#with(before, [this.#change(target, before.changes)]), 'person');
  }

  /** A landing that was recorded is on the branch, and one that was not is not. */
  #checkLandings(events: readonly MailEvent[]): string[] {
    const problems: string[] = [];
    const checked = new Map<string, string>();
    const landed = new Set<string>();
    for (const event of events) {
      if (event.type === 'landing-checked') checked.set(event.turn, event.result);
      if (event.type !== 'landed') continue;
      const result = checked.get(event.turn) ?? '';
      landed.add(result);
      if (!this.#contains(this.target.tip, result)) problems.push(`${event.turn} landed, and is not there`);
    }
    for (const commit of this.target.landings)
      if (!landed.has(commit)) problems.push(`${commit} is on the branch, and no landing was recorded`);
    return problems;
  }

  /** The branch is the fold of the work that has landed and of what people did there. */
  #checkFold(events: readonly MailEvent[]): string[] {
    const queued = new Map<string, string>();
    const fold = new Set(
      [...this.#made].flatMap(([change, { branch }]) => (branch === target ? [change] : [])),
    );
    for (const event of events) {
      if (event.type === 'landing-queued') queued.set(event.turn, event.commit);
      if (event.type !== 'landed') continue;
      for (const change of this.#of(queued.get(event.turn) ?? '').changes) fold.add(change);
    }
    const there = this.#of(this.target.tip).changes;
    return [
      ...(foldsTo(there, this.#of(this.target.tip).tree, this.#made)
        ? []
        : ['no order of the landed changes that respects what was merged leads to what is there']),
      ...[...fold].flatMap((change) => (there.has(change) ? [] : [`${change} has landed, and is not there`])),
      ...[...there].flatMap((change) => (fold.has(change) ? [] : [`${change} is there, and has not landed`])),
    ];
  }

  /** No message carries changes but those of its role, and of what was sent to it. */
  #checkForeign(events: readonly MailEvent[]): string[] {
    const problems: string[] = [];
    const sent = new Map<string, string>();
    const given = new Map<string, Set<string>>();
    for (const event of events) {
      if (event.type === 'claimed') {
        const branch = roleBranch(event.thread, event.role);
        const begun = this.#of(this.#bases.get(event.thread) ?? '');
        const met = this.#met.get(branch) ?? [];
        const all = [...event.messages.map((id) => sent.get(id) ?? ''), ...met].map((commit) =>
          this.#of(commit),
        );
        const changes = [begun, ...all].flatMap((commit) => [...commit.changes]);
        given.set(branch, new Set([...(given.get(branch) ?? []), ...changes]));
      }
      if (event.type !== 'committed') continue;
      for (const { message } of event.sent) {
        if (message.work === null) continue;
        const { commit, branch } = message.work;
        sent.set(message.id, commit);
        for (const change of this.#of(commit).changes)
          if (this.#made.get(change)?.branch !== branch && given.get(branch)?.has(change) !== true)
            problems.push(`${message.id} carries ${change}, which ${message.from} was not sent`);
      }
    }
    return problems;
  }

  /** Every sent commit exists, and has the work of all that its turn picked up, and what its role sent before. */
  check(events: readonly MailEvent[], edits: (role: string) => boolean): string[] {
    const problems = [
      ...this.problems,
      ...this.#checkLandings(events),
      ...this.#checkFold(events),
      ...this.#checkForeign(events),
    ];
    const sent = new Map<string, string>();
    const taken = new Map<string, readonly string[]>();
    const last = new Map<string, string>();
    let turns = 0;
    for (const event of events) {
      if (event.type === 'claimed') taken.set(`t${String((turns += 1))}`, event.messages);
      if (event.type !== 'committed') continue;
      for (const { message } of event.sent) {
        if (message.work === null) continue;
        const { commit, branch, landed } = message.work;
        if (landed !== null && !this.#contains(landed.commit, commit))
          problems.push(`${message.id} landed without ${commit}`);
        if (!this.#commits.has(commit)) problems.push(`${message.id} names the unknown commit ${commit}`);
        const before = edits(message.from) ? [last.get(branch) ?? first] : [];
        const picked = (taken.get(event.turn) ?? []).flatMap((id) => sent.get(id) ?? []);
        for (const inner of [...before, ...picked])
          if (!this.#contains(commit, inner)) problems.push(`${message.id} travels without ${inner}`);
        sent.set(message.id, commit);
      }
      const work = event.sent[0]?.message.work;
      if (work) last.set(work.branch, work.commit);
    }
    return problems;
  }
}

function conflict(resolving: 'role' | 'person'): Worked {
  return { ok: false, problem: 'both sides have changed a file', resolving };
}
