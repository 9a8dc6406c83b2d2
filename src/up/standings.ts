import type { Standing } from '../channels/machine/decide.ts';
import { money } from '../kernel/cost.ts';
import { counted } from '../kernel/enumerate.ts';
import type { ThreadId } from '../kernel/ids.ts';
import type { MailWhy } from '../mail/machine/explain/words.ts';
import type { Thread, ThreadState } from '../mail/machine/state.ts';
import type { Project } from '../project/project.ts';
import { isMoving } from '../documents/explained.ts';
import { mailExplainer } from '../mail/questions/held.ts';

/**
 * How these threads are, in Markdown. It names no time, so that it changes only with its thread.
 */
export async function threadStandings(
  project: Project,
  threads: ReadonlySet<ThreadId>,
  now: number,
): Promise<ReadonlyMap<ThreadId, Standing>> {
  const definition = await project.definition();
  if (threads.size === 0 || !definition.ok) return new Map();
  const { protocol } = definition.value;
  const state = project.state();
  const explainer = mailExplainer(project, state, protocol, now);
  const known = [...threads].flatMap((id) => state.threads.get(id) ?? []);
  return new Map(known.map((thread) => [thread.id, standingOf(thread, explainer.thread(thread))]));
}

const heads: Readonly<Record<Exclude<ThreadState, 'open'>, string>> = {
  closed: 'Done',
  failed: 'Failed',
  quiet: 'At rest',
};

function standingOf({ state, count, turns, cost }: Thread, why: MailWhy): Standing {
  const head = state === 'open' ? (isMoving(why) ? 'In work' : 'Waiting') : heads[state];
  const spent = [counted(count, 'message'), counted(turns, 'turn'), money(cost)];
  const facts = spent.filter((part) => part !== '').join(' · ');
  return {
    text: [`**${head}:** ${why.reason}.`, facts, explanation].join('\n\n'),
    isOver: state === 'closed' || state === 'failed',
  };
}

const explanation = '_Mailroom keeps this comment current. Questions and the result come here._';
