import type { StepGit } from '../../../src/workflow/host/ports.ts';

/** For runs none of whose steps works in git. */
export const noGit: StepGit = {
  enter: refuse,
  leave: refuse,
  land: () => Promise.resolve({ ok: false, problem: 'there is no repository', code: 'E_WORKSPACE' }),
  commitOf: (_launch, _checkout, id) => ({ id, branch: '', worktree: null }),
};

function refuse() {
  return Promise.resolve({ ok: false, problem: 'there is no repository', resolving: null } as const);
}
