import type { StepGit } from '../../../../src/workflow/host/ports.ts';
import type { LaunchCheckout } from '../../../../src/workflow/machine/launch.ts';
import { roleCheckout } from '../../../../src/kernel/work.ts';
import type { RunEvent } from '../../../../src/workflow/machine/event.ts';
import type { Workflow } from '../../../../src/workflow/model.ts';
import type { Random } from '../random.ts';
import type { MemoryDisk } from '../../../support/memory-disk.ts';

type Changes = ReadonlySet<string>;

/** The repository of the project: a commit is the set of all changes that it contains. Outlives hosts. */
export class VirtualGit implements StepGit {
  readonly problems: string[] = [];
  readonly #disk: MemoryDisk;
  readonly #commits = new Map<string, Changes>([['base', new Set()]]);
  readonly #branches = new Map<string, string>([['main', 'base']]);
  /** Changes of rules. */
  readonly #rules = new Set<string>();
  /** The changes of rules that steps have brought onto a branch. */
  readonly #landed: { readonly path: string; readonly digest: string }[] = [];
  readonly #random: Random;
  #count = 0;

  constructor(disk: MemoryDisk, random: Random) {
    this.#disk = disk;
    this.#random = random;
  }

  enter: StepGit['enter'] = ({ run }, { name, takes, edits }) => {
    this.#disk.plant(`project/.mailroom/worktrees/${roleCheckout(run, name)}`, '', 'folder');
    const tip = this.#branches.get(name) ?? 'base';
    const all = [...(edits ? [tip] : []), ...takes.map(({ commit }) => commit)];
    return done(this.#move(name, this.#merge(all.length === 0 ? [tip] : all)));
  };

  leave: StepGit['leave'] = ({ key }, { name, edits }, entered) => {
    if (!edits) return done(entered);
    const tip = this.#branches.get(name) ?? 'base';
    if (!this.contains(tip, entered)) this.problems.push(`${name} has lost ${entered}`);
    const change = `${key.path}@${String(key.iteration)}.${String(key.attempt)}`;
    if (this.#random.chance(0.4)) this.#rules.add(change);
    return done(this.#move(name, this.#add(new Set([...this.#of(tip), change]))));
  };

  land: StepGit['land'] = ({ key }, { branch }, takes, approved) => {
    const tip = this.#branches.get(branch) ?? 'base';
    const paths = [...this.#of(takes.commit)].filter(
      (each) => this.#rules.has(each) && !this.#of(tip).has(each),
    );
    const digest = paths.toSorted().join(' ');
    if (digest !== '' && approved !== digest) {
      const rules = { paths, more: 0, digest };
      return Promise.resolve({ ok: false, code: 'E_REFUSED', problem: 'it changes rules', rules });
    }
    if (digest !== '') this.#landed.push({ path: key.path, digest });
    return Promise.resolve({ ok: true, commit: this.#move(branch, this.#merge([tip, takes.commit])) });
  };

  commitOf: StepGit['commitOf'] = (_launch, { name }: LaunchCheckout, id) => ({
    id,
    branch: name,
    worktree: null,
  });

  #merge(all: readonly string[]): string {
    for (const commit of all)
      if (!this.#commits.has(commit)) this.problems.push(`a step takes the unknown commit ${commit}`);
    const union = new Set(all.flatMap((commit) => [...this.#of(commit)]));
    return all.find((commit) => this.#of(commit).size === union.size) ?? this.#add(union);
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

  contains(commit: string, inner: string): boolean {
    return [...this.#of(inner)].every((change) => this.#of(commit).has(change));
  }

  /**
   * Every commit of the journal exists, has the change of its own step and the work of the steps
   * that this one needs; what has landed is on the branch. No rules have landed that a person has
   * not approved, exactly these.
   */
  check(events: readonly RunEvent[], { body }: Workflow): string[] {
    const approved = approvedRules(events);
    const problems = [
      ...this.problems,
      ...this.#landed
        .filter(({ path, digest }) => !approved.has(`${path}: ${digest}`))
        .map(({ path, digest }) => `${path} has landed ${digest}, which no person has approved`),
    ];
    const made = new Map<string, string>();
    for (const event of events) {
      if (event.type === 'reopened') for (const path of event.steps) made.delete(path);
      if (event.type === 'settled' && event.status === 'FAILED') made.delete(event.path);
      if (event.type !== 'ended') continue;
      const { path } = event.key;
      made.delete(path);
      if (event.result.commit === null) continue;
      const { id, branch } = event.result.commit;
      if (!this.#commits.has(id)) problems.push(`${path} names the unknown commit ${id}`);
      const step = body.steps.find((each) => each.id === path);
      for (const { step: need } of step?.needs ?? []) {
        const inner = made.get(need);
        if (inner !== undefined && !this.contains(id, inner))
          problems.push(`${path} has no ${inner} of ${need}`);
      }
      if (step?.work.kind === 'land' && !this.contains(this.#branches.get(branch) ?? 'base', id))
        problems.push(`${path} is not on ${branch}`);
      made.set(path, id);
    }
    return problems;
  }
}

/** What people let land: of each step, the changes of rules that it was asked about. */
function approvedRules(events: readonly RunEvent[]): Set<string> {
  const approved = new Set<string>();
  const waiting = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'ended' && event.result.outcome.is === 'failed') {
      const { reported } = event.result.outcome;
      if (reported?.startsWith('rules:') === true)
        waiting.set(event.key.path, reported.slice('rules:'.length));
    }
    if (event.type === 'judged' && event.choice !== 'reject')
      approved.add(`${event.path}: ${waiting.get(event.path) ?? ''}`);
  }
  return approved;
}

function done(commit: string): Promise<{ readonly ok: true; readonly commit: string }> {
  return Promise.resolve({ ok: true, commit });
}
