import { roleBranch, type Entering, type Leaving, type Worked } from '../../../../src/kernel/work.ts';
import type { MailEvent } from '../../../../src/mail/machine/event.ts';

type Changes = ReadonlySet<string>;

/** In what kind of files a merge conflicts; null: it does not. */
export type Clash = 'text' | 'binary' | null;

/** The first commit. Commits have names as git's are. */
const base = '0'.repeat(40);

/** Where a person's own changes are made. */
const target = 'main';

type Swap = { readonly onto: string; readonly result: string };

/** The branch that work lands on, and a person's checkout of it. */
class VirtualBranch {
  tip = base;
  /** A person has changed files, and not committed them. */
  isDirty = false;
  /** What the mail moved it to. */
  readonly landings: string[] = [];

  move(commit: string, by: 'mail' | 'person' = 'mail'): void {
    this.tip = commit;
    if (by === 'mail') this.landings.push(commit);
  }
}

/** What git has of the roles' work: a commit is the set of all changes that it contains. Outlives controllers. */
export class VirtualWork {
  readonly problems: string[] = [];
  readonly #commits = new Map<string, Changes>([[base, new Set()]]);
  readonly #branches = new Map<string, string>();
  /** Changes in checkouts that no commit has, by branch. */
  readonly #uncommitted = new Map<string, string[]>();
  /** The branches in whose checkouts both sides of a merge lie. */
  readonly #conflicts = new Set<string>();
  /** Where each change was made: the branch. */
  readonly #made = new Map<string, string>();
  /** The invocation that works in a checkout, by branch. */
  readonly #working = new Map<string, string>();
  #count = 0;
  readonly target = new VirtualBranch();

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

  /** `clash`: whether a merge conflicts, or one that lies there has not been resolved, and in which files. */
  enter({ branch, edits, takes, resolves, resolving }: Entering, clash: Clash): Worked {
    const tip = this.#branches.get(branch) ?? base;
    const isLaid = this.#conflicts.has(branch);
    if (takes === null || (isLaid && resolving === 'role')) return { ok: true, commit: tip };
    for (const { commit } of takes)
      if (!this.#commits.has(commit)) this.problems.push(`a message names the unknown commit ${commit}`);
    if (isLaid && resolving === 'person' && clash !== null) return conflict('person');
    // No turn finished this merge.
    if (isLaid && resolving === null) this.#uncommitted.delete(branch);
    this.#conflicts.delete(branch);
    const own = edits ? [this.#committed(branch, tip)] : takes.length === 0 ? [tip] : [];
    const all = [...own, ...takes.map(({ commit }) => commit)];
    const isResolved = isLaid && resolving === 'person';
    if (this.#oneOf(all) === null && clash !== null && !isResolved) {
      this.#conflicts.add(branch);
      return conflict(resolves === 'all' || (resolves === 'text' && clash === 'text') ? 'role' : 'person');
    }
    return { ok: true, commit: this.#move(branch, this.#merge(all)) };
  }

  /** The one of these commits that has the changes of all; null: none does. */
  #oneOf(all: readonly string[]): string | null {
    return all.find((commit) => all.every((inner) => this.#contains(commit, inner))) ?? null;
  }

  #merge(all: readonly string[]): string {
    return this.#oneOf(all) ?? this.#add(new Set(all.flatMap((commit) => [...this.#of(commit)])));
  }

  /** The content of a checkout, and the last commit on its branch. */
  pack(branch: string): { readonly commit: string; readonly head: string } {
    const head = this.#branches.get(branch) ?? base;
    const changes = this.#uncommitted.get(branch) ?? [];
    if (changes.length === 0) return { commit: head, head };
    return { commit: this.#add(new Set([...this.#of(head), ...changes])), head };
  }

  /** Lays out what a checkout on another host contained in the end. */
  unpack(branch: string, { commit, head }: { readonly commit: string; readonly head: string }): Worked {
    const tip = this.#branches.get(branch) ?? base;
    if (!this.#contains(head, tip)) this.problems.push(`${branch} has lost ${tip}`);
    const changes = [...this.#of(commit)].filter((change) => !this.#of(head).has(change));
    this.#uncommitted.set(branch, changes);
    return { ok: true, commit: this.#move(branch, head) };
  }

  /** A commit with one more change, made by the role of this branch. */
  extend(commit: string, branch: string): string {
    return this.#add(new Set([...this.#of(commit), this.#change(branch)]));
  }

  /** An agent changes a file. */
  edit(branch: string): void {
    const changes = this.#uncommitted.get(branch) ?? [];
    this.#uncommitted.set(branch, [...changes, this.#change(branch)]);
  }

  #change(branch: string): string {
    const change = `change-${String((this.#count += 1))}`;
    this.#made.set(change, branch);
    return change;
  }

  /** `clash`: whether the role has not resolved the conflict that lies there, or has, and meets a further one. */
  leave({ branch, entered, takes }: Leaving, clash: Clash): Worked {
    const tip = this.#branches.get(branch) ?? base;
    if (!this.#contains(tip, entered)) this.problems.push(`${branch} has lost ${entered}`);
    const isLaid = this.#conflicts.has(branch);
    if (isLaid && clash === 'binary') return conflict('person');
    const own = this.#committed(branch, tip);
    if (isLaid && clash === 'text' && takes.length > 1) return conflict('role');
    this.#conflicts.delete(branch);
    const merged = this.#merge([own, ...takes.map(({ commit }) => commit)]);
    return { ok: true, commit: this.#move(branch, merged) };
  }

  #committed(branch: string, tip: string): string {
    const changes = this.#uncommitted.get(branch) ?? [];
    this.#uncommitted.delete(branch);
    if (changes.length === 0) return tip;
    return this.#move(branch, this.#add(new Set([...this.#of(tip), ...changes])));
  }

  #add(changes: Changes): string {
    const commit = (this.#count += 1).toString(16).padStart(40, '0');
    this.#commits.set(commit, changes);
    return commit;
  }

  #move(branch: string, commit: string): string {
    this.#branches.set(branch, commit);
    return commit;
  }

  #of(commit: string): Changes {
    return this.#commits.get(commit) ?? new Set();
  }

  #contains(commit: string, inner: string): boolean {
    return [...this.#of(inner)].every((change) => this.#of(commit).has(change));
  }

  /** The commit that a branch has when work lands on it. */
  prepare(work: string): Swap {
    const { tip } = this.target;
    if (this.#contains(tip, work)) return { onto: tip, result: tip };
    if (this.#contains(work, tip)) return { onto: tip, result: work };
    return { onto: tip, result: this.#add(new Set([...this.#of(tip), ...this.#of(work)])) };
  }

  /** Moves the branch, or finds out whether it was moved. False: somebody else moved it. */
  swap({ onto, result }: Swap, settles: boolean): boolean {
    if (!settles && this.target.tip === onto && onto !== result) this.target.move(result);
    return this.#contains(this.target.tip, result);
  }

  /** A person commits something on the branch. */
  push(): void {
    const changes = [...this.#of(this.target.tip), this.#change(target)];
    this.target.move(this.#add(new Set(changes)), 'person');
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
    const fold = new Set([...this.#made].flatMap(([change, branch]) => (branch === target ? [change] : [])));
    for (const event of events) {
      if (event.type === 'landing-queued') queued.set(event.turn, event.commit);
      if (event.type !== 'landed') continue;
      for (const change of this.#of(queued.get(event.turn) ?? '')) fold.add(change);
    }
    const there = this.#of(this.target.tip);
    return [
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
        const changes = event.messages.flatMap((id) => [...this.#of(sent.get(id) ?? '')]);
        given.set(branch, new Set([...(given.get(branch) ?? []), ...changes]));
      }
      if (event.type !== 'committed') continue;
      for (const { message } of event.sent) {
        if (message.work === null) continue;
        const { commit, branch } = message.work;
        sent.set(message.id, commit);
        for (const change of this.#of(commit))
          if (this.#made.get(change) !== branch && given.get(branch)?.has(change) !== true)
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
        const before = edits(message.from) ? [last.get(branch) ?? base] : [];
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
