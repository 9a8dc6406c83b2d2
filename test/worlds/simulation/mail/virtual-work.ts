import type { Entering, Leaving } from '../../../../src/kernel/work.ts';
import type { MailEvent } from '../../../../src/mail/machine/event.ts';

type Changes = ReadonlySet<string>;

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

  /** Every sent commit exists, and has the work of all that its turn picked up, and what its role sent before. */
  check(events: readonly MailEvent[], edits: (role: string) => boolean): string[] {
    const problems = [...this.problems];
    const sent = new Map<string, string>();
    const taken = new Map<string, readonly string[]>();
    const last = new Map<string, string>();
    let turns = 0;
    for (const event of events) {
      if (event.type === 'claimed') taken.set(`t${String((turns += 1))}`, event.messages);
      if (event.type !== 'committed') continue;
      for (const { message } of event.sent) {
        if (message.work === null) continue;
        const { commit, branch } = message.work;
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
