import { endOfId } from '../kernel/ids.ts';
import type { WaitingItem } from '../operations/inbox.ts';
import { runCommand } from '../operations/runs/run-commands.ts';
import type { RunController } from '../operations/runs/services.ts';
import type { Controller, ProjectServices } from '../operations/services.ts';
import { explained, isMoving, type Explained } from '../operations/why/explained.ts';
import { explainStatus } from '../operations/why/status-whys.ts';
import { RunExplainer } from '../workflow/machine/explain/explain.ts';
import type { Context } from './context.ts';
import { caller } from './control.ts';
import { whyWords } from './format.ts';
import type { Keyboard, LiveKey } from './live-keys.ts';
import { ownStatus } from './progress.ts';

/** The keys of `up` on a terminal. */
export function upKeys(context: Context, project: ProjectServices, controller: Controller): Keyboard {
  const keys: LiveKey[] = [
    {
      key: 'w',
      does: 'say why roles and threads wait',
      is: 'panel',
      lines: () => mailWhys(project, controller, context.terminal.now()),
    },
    {
      key: 'a',
      does: 'answer a request or a gate that waits',
      is: 'question',
      run: async () => {
        const { readInbox } = await import('../operations/inbox.ts');
        const { items } = await readInbox(project, project.workflows, null);
        await answerOneOf(context, items);
      },
    },
    {
      key: 'p',
      does: 'pause everything, or unpause it; running turns continue',
      is: 'action',
      run: async () => {
        const { ask } = await import('../operations/requests.ts');
        const verb = controller.state.paused.all ? 'unpause' : 'pause';
        const asked = { verb, target: { kind: 'all' }, now: false, by: caller(context) } as const;
        await ask(project, asked, context.terminal.now);
      },
    },
  ];
  return { keys, onKey: (act) => context.services.onKey(act) };
}

/** The keys of `run` and `resume` on a terminal. */
export function runKeys(context: Context, controller: RunController): Keyboard {
  const { run } = controller;
  const keys: LiveKey[] = [
    {
      key: 'w',
      does: 'say why steps wait',
      is: 'panel',
      lines: () => runWhys(controller, context.terminal.now()),
    },
    {
      key: 'a',
      does: 'answer a gate that waits',
      is: 'question',
      run: async () => {
        const { approvalsOf } = await import('../operations/inbox.ts');
        const { runs } = await context.place().workflows.status(null);
        const own = runs.filter((each) => each.run === run);
        await answerOneOf(context, approvalsOf(own, null));
      },
    },
  ];
  return { keys, onKey: (act) => context.services.onKey(act) };
}

function mailWhys(project: ProjectServices, controller: Controller, now: number): string[] {
  const { protocol } = controller.definition;
  const status = ownStatus(controller, now);
  const whys = explainStatus(project, status, protocol, now, () => controller.state);
  const lines = [
    ...status.roles.flatMap(({ name }) => whyLines(name, whys.role(name), now)),
    ...status.threads.flatMap(({ id }) => whyLines(`thread ${endOfId(id)}`, whys.thread(id), now)),
  ];
  return lines.length === 0 ? ['nothing waits'] : lines;
}

function runWhys({ run, state, rules }: RunController, now: number): string[] {
  const explainer = new RunExplainer(state, rules, now);
  const lines = [...state.active, ...state.ready].flatMap((path) => {
    const why = explainer.step(path);
    if (why === null || isMoving(why)) return [];
    return whyLines(
      path,
      explained(why, (act) => runCommand(run, act)),
      now,
    );
  });
  return lines.length === 0 ? ['nothing waits'] : lines;
}

/** The reason of one thing, and below it the command that changes it. */
function whyLines(name: string, why: Explained | null, now: number): string[] {
  const [reason] = whyWords(why, now);
  if (why === null || reason === undefined) return [];
  return [`${name}: ${reason}`, ...(why.command === null ? [] : [`  ${why.command}`])];
}

/** Asks a person for the answer to the only item that waits, or to one of them. */
async function answerOneOf(context: Context, items: readonly WaitingItem[]): Promise<void> {
  const { pickWaiting } = await import('./answering.ts');
  const {
    id,
    kind,
    run,
    subject,
    reply_types: verdicts,
  } = await pickWaiting(context, items, ['request', 'approval'], null, {});
  if (kind === 'request' || run === null) {
    const { reply } = await import('./actions/reply.ts');
    await reply(context, id, null, {});
    return;
  }
  const { choose } = await import('./asking.ts');
  const { judge } = await import('./actions/approve.ts');
  const choices = verdicts.map((value) => ({ value, label: value }));
  const verdict = await choose(subject, choices, 'nothing was recorded');
  const gate = id.slice(run.length + 1);
  if (verdict === 'reject') await judge(context, 'reject', run, gate, {});
  else await judge(context, 'approve', run, gate, { choice: verdict });
}
