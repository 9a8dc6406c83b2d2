import type { StepGit } from '../../../../src/workflow/host/ports.ts';
import type { LaunchCheckout } from '../../../../src/workflow/machine/launch.ts';
import { roleCheckout } from '../../../../src/kernel/work.ts';
import type { RunEvent } from '../../../../src/workflow/machine/event.ts';
import type { Workflow } from '../../../../src/workflow/model.ts';
import type { MemoryDisk } from '../../../support/memory-disk.ts';

type Changes = ReadonlySet<string>;

/** The repository of the project: a commit is the set of all changes that it contains. Outlives hosts. */
export class VirtualGit implements StepGit {
  readonly problems: string[] = [];
  readonly #disk: MemoryDisk;
  readonly #commits = new Map<string, Changes>([['base', new Set()]]);
  readonly #branches = new Map<string, string>([['main', 'base']]);
  #count = 0;

  constructor(disk: MemoryDisk) {
    this.#disk = disk;
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
    const changed = [...this.#of(tip), `${key.path}@${String(key.iteration)}.${String(key.attempt)}`];
    return done(this.#move(name, this.#add(new Set(changed))));
  };

  land: StepGit['land'] = (_launch, { branch }, takes) => {
    const tip = this.#branches.get(branch) ?? 'base';
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
   * that this one needs; what has landed is on the branch.
   */
  check(events: readonly RunEvent[], { body }: Workflow): string[] {
    const problems = [...this.problems];
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

function done(commit: string): Promise<{ readonly ok: true; readonly commit: string }> {
  return Promise.resolve({ ok: true, commit });
}
