import { landsOnCheckedOut } from '../../kernel/work.ts';
import { innerOf } from '../bodies.ts';
import type { Step } from '../model.ts';
import { findStep, type Here } from './meaning.ts';
import { field, whole } from './report.ts';

/** Checks that a step merges and lands work that earlier steps leave in git. */
export function checkGit(step: Step, here: Here): void {
  const { report, place } = here;
  const merges = step.checkout?.merges ?? [];
  for (const [index, id] of merges.entries()) {
    const at = field(merges, index);
    const found = findStep(id, here);
    if (found === null) {
      if (!report.context.broken.has(id))
        report.unknown(at, `no step is called \`${id}\``, id, place?.graph.names() ?? []);
      continue;
    }
    const source = found.graph.steps[found.target]!;
    found.graph.ask(found.from, found.target, () =>
      report.error(
        at,
        source === step
          ? `\`${step.id}\` cannot merge itself`
          : `\`${source.id}\` does not come before \`${step.id}\``,
        null,
      ),
    );
    if (!leavesWork(source) && !report.context.broken.has(id))
      report.error(at, `\`${source.id}\` leaves no work in git`, worktreeHint(source));
  }
  if (step.work.kind !== 'land') return;
  if (step.work.branch === report.context.checkedOut) {
    const { message, hint } = landsOnCheckedOut(`\`${step.id}\``, step.work.branch);
    report.add('E_LANDS', 'warning', field(step.work, 'branch'), message, hint);
  }
  if (place === null || earlier(here).some(leavesWork)) return;
  const message = `no step before \`${step.id}\` leaves work in git that it could land`;
  const hint = 'let it depend on a step with `workspace: { worktree: step }`, or on a `merge`';
  report.error(whole(step.work), message, hint);
}

/** Checks that what a step needs can travel to a worker host. */
export function checkWorkers({ id, on, work, checkout, check }: Step, { report }: Here): void {
  if (on === undefined || !processes.includes(work.kind)) return;
  const error = (message: string, hint: string): void => report.error(whole(on), message, hint);
  if (!report.context.hasWorkers)
    error(
      `\`${id}\` runs on worker hosts, and mailroom.yaml has no \`workers\``,
      'add `workers: { queue: redis://… }` to mailroom.yaml',
    );
  else if (checkout === undefined)
    error(
      `\`${id}\` runs on worker hosts, and shares its workspace with other steps`,
      'set `workspace: { worktree: step }`, so that its work travels by git',
    );
  else if (checkout.merges !== null)
    error(
      `\`${id}\` merges, and both sides of a conflict lie on the host of the run`,
      'remove `on`, or let a step of its own work on the merge',
    );
  if (check?.purpose === 'summary')
    error(
      `\`${id}\` is asked for a summary, and a conversation stays on the host that had it`,
      'remove `summary`, or `on`',
    );
}

/** Whether a step, or one inside it, works in a git worktree. */
function leavesWork({ work, checkout }: Step): boolean {
  if (checkout !== undefined || work.kind === 'role') return true;
  return innerOf(work)?.steps.some(leavesWork) === true;
}

const processes: readonly Step['work']['kind'][] = ['agent', 'script', 'command'];

function worktreeHint({ id, work }: Step): string | null {
  return processes.includes(work.kind)
    ? `\`workspace: { worktree: step }\` gives \`${id}\` a git worktree`
    : null;
}

/** Steps that may come before, here or around the loop. */
function earlier({ place }: Here): Step[] {
  const found: Step[] = [];
  for (let at = place; at !== null; at = at.graph.parent) {
    const { graph, step } = at;
    const isSequence = graph.steps[step]?.next != null;
    found.push(...graph.steps.filter((_, index) => isSequence || graph.follows(step, index)));
  }
  return found;
}
