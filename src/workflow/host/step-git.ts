import { join } from 'node:path';
import picomatch from 'picomatch';
import type { NamedFiles } from '../../git/judged-changes.ts';
import { landWork } from '../../git/land-work.ts';
import { enterWork, leaveWork } from '../../git/work.ts';
import { runFolder } from '../../host/run-mail.ts';
import { roleBranch, roleCheckout } from '../../kernel/work.ts';
import { checkoutName } from '../machine/commits.ts';
import { processName, type Launch, type LaunchCheckout } from '../machine/launch.ts';
import type { StepGit } from './ports.ts';

/**
 * The work of steps in the repository that a project (absolute path) lies in. `protectedBranches`:
 * globs of branches that no step lands on.
 */
export function stepGit(project: string, protectedBranches: readonly string[], named: NamedFiles): StepGit {
  const pathOf = ({ run }: Launch, { name }: LaunchCheckout) =>
    join(project, '.mailroom', 'worktrees', roleCheckout(run, name));
  const workOf = (launch: Launch, { name, takes }: LaunchCheckout) => ({
    turn: processName(launch.key),
    role: name,
    thread: launch.run,
    branch: roleBranch(launch.run, name),
    takes: takes.map(({ commit, step }) => ({ commit, message: null, from: step })),
  });
  return {
    enter: (launch, checkout, isKnown) => {
      const { edits, last, merges } = checkout;
      const hasResolver = merges && launch.work.kind !== 'merge';
      const entering = {
        ...workOf(launch, checkout),
        edits,
        base: null,
        last,
        resolves: hasResolver ? ('all' as const) : ('none' as const),
        ...(launch.inputs.length > 0 && { given: launch.inputs.map((input) => input.as) }),
        resolving: isKnown ? (hasResolver ? ('role' as const) : ('person' as const)) : null,
      };
      return enterWork(project, pathOf(launch, checkout), entering);
    },
    leave: (launch, checkout, entered) => {
      const title = `Step ${launch.key.path}`;
      const work = workOf(launch, checkout);
      const leaving = { ...work, title, messages: [], entered, amends: null, meets: [] };
      const began = join(project, runFolder(launch.run), 'steps', work.turn);
      return checkout.edits
        ? leaveWork(project, pathOf(launch, checkout), leaving, began)
        : Promise.resolve({ ok: true, commit: entered });
    },
    land: ({ run, key }, { branch, by }, takes, approved) => {
      if (protectedBranches.length > 0 && picomatch([...protectedBranches])(branch))
        return Promise.resolve({ ok: false, code: 'E_BRANCH', problem: refusal(branch) });
      const name = checkoutName(key.path);
      const text = `Land the step ${takes.step}\n\nMailroom-Run: ${run}\nMailroom-Step: ${key.path}\n`;
      const work = { commit: takes.commit, branch, by, author: name, text };
      return landWork(project, `${run}/${name}`, work, { named, approved });
    },
    commitOf: ({ run }, { name }, id) => ({
      id,
      branch: roleBranch(run, name),
      worktree: `.mailroom/worktrees/${roleCheckout(run, name)}`,
    }),
  };
}

function refusal(branch: string): string {
  return (
    `\`${branch}\` is protected in mailroom.yaml, so no step lands on it: ` +
    'land on another branch, or let a role send the work in a message that `lands` there, which a person approves'
  );
}
