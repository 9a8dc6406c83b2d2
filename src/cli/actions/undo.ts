import { MailroomError } from '../../kernel/errors.ts';
import { shortCommit } from '../../kernel/ids.ts';
import type { MessageDocument } from '../../documents/mail.ts';
import type { StepDocument, StepDocuments } from '../../documents/runs.ts';
import type { LandedWork } from '../../git/undo-landing.ts';
import type { StoredRun } from '../../project/definition/contracts.ts';
import type { Context } from '../context.ts';
import { idOf, runOf } from '../ids.ts';
import { line, short } from '../format.ts';
import { answer, type AsJson } from '../output.ts';

const kinds = ['message', 'thread', 'run'] as const;

/** Takes back what a message, a turn, a thread or a run has landed, the newest landing first. */
export async function undo(context: Context, word: string, options: AsJson): Promise<number> {
  context.outsideTurn('undo');
  context.announce();
  const id = await idOf(context, word, kinds);
  const run = runOf(context, id, kinds);
  const landed = run === null ? await landedByMail(context, id) : await landedByRun(context, run);
  if (landed.length === 0)
    throw new MailroomError('E_REFUSED', `${short(run?.run ?? id)} has landed nothing on a branch`);
  const { undoLanding } = await import('../../git/undo-landing.ts');
  const undone: { readonly branch: string; readonly landed: string; readonly commit: string }[] = [];
  const said = () =>
    undone.map(
      ({ branch, landed: what, commit }) =>
        `${shortCommit(what)} is undone on ${line(branch)}, by ${shortCommit(commit)}`,
    );
  for (const each of landed)
    try {
      const commit = await undoLanding(context.place().root, each);
      undone.push({ branch: each.branch, landed: each.commit, commit });
    } catch (error) {
      if (!(error instanceof MailroomError) || undone.length === 0) throw error;
      throw new MailroomError(error.code, `${error.message}; before that, ${said().join(', ')}`);
    }
  return answer(context.terminal, options, { schema: 1, undone }, said);
}

/** Of a message its own landing, of a thread or a turn all of them. */
async function landedByMail(context: Context, word: string): Promise<LandedWork[]> {
  const { show, showAt } = await import('../../mail/questions/show.ts');
  const project = context.project();
  const shown = show(project, project.journal.state(), word);
  if (shown.kind === 'thread') return landedIn(shown.messages);
  if (shown.kind === 'turn') return landedIn(shown.sent);
  if (shown.kind !== 'message') return [];
  const { message } = shown;
  if (message.landed !== null) return landedIn([message]);
  const whole = showAt(project, message.thread, null, 'thread');
  const landed = whole.kind === 'thread' ? landedIn(whole.messages) : [];
  // The message that opened a thread has the same id.
  if (message.id === message.thread || landed.length === 0) return landed;
  throw new MailroomError(
    'E_REFUSED',
    `${short(message.id)} has landed nothing; its thread has`,
    `take that back by \`mailroom undo ${short(message.thread)}\``,
  );
}

function landedIn(messages: readonly MessageDocument[]): LandedWork[] {
  return messages
    .flatMap(({ landed, subject, id }) =>
      landed === null ? [] : { ...landed, title: `${subject} (message ${short(id)})` },
    )
    .toReversed();
}

async function landedByRun(context: Context, run: StoredRun): Promise<LandedWork[]> {
  const { readRun } = await import('../../workflow/runs/reading.ts');
  const { beforeLanding } = await import('../../git/undo-landing.ts');
  const { steps } = await readRun(run);
  const landings = landingSteps(steps, '').toSorted((a, b) => b.at.localeCompare(a.at));
  return Promise.all(
    landings.map(async ({ path, branch, commit }) => ({
      branch,
      commit,
      before: await beforeLanding(context.place().root, run.run, commit),
      title: `the step ${path} of run ${short(run.run)}`,
    })),
  );
}

/** The steps that have landed work: no checkout is theirs. */
function landingSteps(
  steps: StepDocuments,
  within: string,
): { path: string; at: string; branch: string; commit: string }[] {
  const inside = (step: StepDocument, path: string) => [
    ...landingSteps(step.steps ?? {}, `${path}/`),
    ...(step.items ?? []).flatMap((item) => landingSteps(item.steps, `${path}.${String(item.index)}/`)),
  ];
  return Object.entries(steps).flatMap(([name, step]) => {
    const { commit, completed_at: at } = step;
    const path = `${within}${name}`;
    if (commit === null || commit.worktree !== null || at === null) return inside(step, path);
    return [{ path, at, branch: commit.branch, commit: commit.id }];
  });
}
