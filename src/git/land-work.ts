import { rulesReason, type RuleChanges } from '../kernel/work.ts';
import type { NamedFiles } from './judged-changes.ts';
import { Landings, type LandingWork, type Prepared } from './landing.ts';
import { swapLanding } from './landing-swap.ts';
import { Refs } from './refs.ts';

/** What a landing came to. `E_WORKSPACE`: it can land once somebody has changed something else. */
export type Landed =
  | { readonly ok: true; readonly commit: string }
  | {
      readonly ok: false;
      readonly problem: string;
      readonly code: 'E_WORKSPACE' | 'E_CONFLICT' | 'E_BRANCH';
    }
  /** `E_REFUSED`: only with the approval of a person. */
  | {
      readonly ok: false;
      readonly problem: string;
      readonly code: 'E_REFUSED';
      readonly rules: RuleChanges;
    };

/** Where work may land, and what of it a person has seen. */
export interface LandingPermit {
  readonly named: NamedFiles;
  /** The digest of the changes of rules that a person has approved; null: none. */
  readonly approved: string | null;
}

/** More often a branch does not move while one landing is prepared. */
const mostMoves = 100;

/**
 * Lands work on a branch; returns the commit that the branch has then. What it is about to do is
 * remembered in refs with this `name` before it moves the branch: after a crash the same call
 * finishes it, and lands nothing twice. Never rejects.
 */
export async function landWork(
  project: string,
  name: string,
  work: LandingWork,
  { named, approved }: LandingPermit,
): Promise<Landed> {
  try {
    const refs = new Refs(project);
    const begun = new Intent(refs, name);
    const last = await begun.read(work.commit);
    if (last !== null) {
      const settled = await swapLanding(project, { branch: work.branch, ...last }, true);
      if (settled.is === 'landed') return { ok: true, commit: last.result };
      if (settled.is === 'blocked') return { ok: false, problem: settled.problem, code: 'E_WORKSPACE' };
    }
    const landings = new Landings(project, named);
    for (let moves = 0; moves < mostMoves; moves += 1) {
      const prepared = await landings.prepare(work);
      if (prepared.is !== 'ready')
        return {
          ok: false,
          problem: prepared.is === 'refused' ? resolvable(prepared, work) : prepared.problem,
          code: prepared.is === 'blocked' ? 'E_WORKSPACE' : 'E_CONFLICT',
        };
      const { onto, result, rules } = prepared;
      if (rules !== null && rules.digest !== approved)
        return { ok: false, problem: rulesReason(rules), code: 'E_REFUSED', rules };
      await begun.note({ commit: work.commit, onto, result });
      const swapped = await swapLanding(project, { branch: work.branch, onto, result });
      if (swapped.is === 'landed') return { ok: true, commit: result };
      if (swapped.is === 'blocked') return { ok: false, problem: swapped.problem, code: 'E_WORKSPACE' };
    }
    return { ok: false, problem: `\`${work.branch}\` moves all the time`, code: 'E_WORKSPACE' };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ok: false, problem: error.message, code: 'E_WORKSPACE' };
  }
}

/** What a branch contains already lands at once, however it came there. */
function resolvable(
  { problem, conflicts }: Extract<Prepared, { is: 'refused' }>,
  { commit, branch }: LandingWork,
): string {
  if (conflicts === null) return problem;
  const merge = `\`git merge ${commit.slice(0, 12)}\``;
  return `${problem}: on \`${branch}\` run ${merge}, resolve it and commit, then resume the run`;
}

const parts = ['commit', 'onto', 'result'] as const;
type Move = Readonly<Record<(typeof parts)[number], string>>;

/** The move of a branch that was begun; durable, and none of its commits is pruned. */
export class Intent {
  readonly #refs: Refs;
  readonly #name: string;

  constructor(refs: Refs, name: string) {
    this.#refs = refs;
    this.#name = name;
  }

  /** What was begun for this commit; null: nothing. */
  async read(commit: string): Promise<Pick<Move, 'onto' | 'result'> | null> {
    const [of, onto, result] = await this.#refs.findAll(parts.map((part) => this.#ref(part)));
    return of === commit && onto != null && result != null ? { onto, result } : null;
  }

  async note(move: Move): Promise<void> {
    const changes = parts.map((part) => ({ ref: this.#ref(part), to: move[part] }));
    await this.#refs.move(changes, 'land');
  }

  async forget(): Promise<void> {
    await this.#refs.move(
      parts.map((part) => ({ ref: this.#ref(part), to: null })),
      'land',
    );
  }

  #ref(part: keyof Move): string {
    return `refs/mailroom/landing/${this.#name}/${part}`;
  }
}
