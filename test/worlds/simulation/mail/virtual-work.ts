import type { Entering, Leaving } from '../../../../src/kernel/work.ts';
import type { MailEvent } from '../../../../src/mail/machine/event.ts';

type Changes = ReadonlySet<string>;

type Swap = { readonly onto: string; readonly result: string };

/** The branch that work lands on, and a person's checkout of it. */
class VirtualBranch {
  tip = 'base';
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
  readonly #commits = new Map<string, Changes>([['base', new Set()]]);
  readonly #branches = new Map<string, string>();
  /** Changes in checkouts that no commit has, by branch. */
  readonly #uncommitted = new Map<string, string[]>();
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

  enter({ branch, edits, takes }: Entering): string {
    const tip = this.#branches.get(branch) ?? 'base';
    if (takes === null) return tip;
    for (const { commit } of takes)
      if (!this.#commits.has(commit)) this.problems.push(`a message names the unknown commit ${commit}`);
    const own = edits ? this.#committed(branch, tip) : null;
    const taken = takes.map(({ commit }) => commit);
    const all = own === null ? (taken.length > 0 ? taken : [tip]) : [own, ...taken];
    const union = new Set(all.flatMap((commit) => [...this.#of(commit)]));
    const same = all.find((commit) => this.#of(commit).size === union.size);
    return this.#move(branch, same ?? this.#add(union));
  }

  /** An agent changes a file. */
  edit(branch: string): void {
    const changes = this.#uncommitted.get(branch) ?? [];
    this.#uncommitted.set(branch, [...changes, `change-${String((this.#count += 1))}`]);
  }

  leave({ branch, entered }: Leaving): string {
    const tip = this.#branches.get(branch) ?? 'base';
    if (!this.#contains(tip, entered)) this.problems.push(`${branch} has lost ${entered}`);
    return this.#committed(branch, tip);
  }

  #committed(branch: string, tip: string): string {
    const changes = this.#uncommitted.get(branch) ?? [];
    this.#uncommitted.delete(branch);
    if (changes.length === 0) return tip;
    return this.#move(branch, this.#add(new Set([...this.#of(tip), ...changes])));
  }

  #add(changes: Changes): string {
    const commit = `commit-${String((this.#count += 1))}`;
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
    const change = `change-${String((this.#count += 1))}`;
    this.target.move(this.#add(new Set([...this.#of(this.target.tip), change])), 'person');
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

  /** Every sent commit exists, and has the work of all that its turn picked up, and what its role sent before. */
  check(events: readonly MailEvent[], edits: (role: string) => boolean): string[] {
    const problems = [...this.problems, ...this.#checkLandings(events)];
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
        const before = edits(message.from) ? [last.get(branch) ?? 'base'] : [];
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
