import type { WaitingItem } from '../operations/inbox.ts';
import type { Controller, ProjectServices } from '../operations/services.ts';
import type { Context } from './context.ts';
import { caller } from './control.ts';
import type { Keyboard, LiveKey } from './live-keys.ts';

/** The keys of `up` on a terminal. */
export function upKeys(context: Context, project: ProjectServices, controller: Controller): Keyboard {
  const keys: LiveKey[] = [
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
export function runKeys(context: Context, run: string): Keyboard {
  const keys: LiveKey[] = [
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
