import { listed } from '../../../kernel/enumerate.ts';
import { MailroomError } from '../../../kernel/errors.ts';
import type { WorkerOrder, WorkerStatus } from '../list.ts';
import type { Context } from '../../../cli/context.ts';
import { since, table } from '../../../cli/format.ts';
import { answer, type AsJson } from '../../../cli/output.ts';
import { Workers } from '../workers.ts';

type WorkersAction = 'list' | 'invite' | WorkerOrder;

const done: Record<WorkerOrder, string> = {
  drain: 'It takes no more turns, and ends when its running turns have ended.',
  pause: 'It takes no more turns; its running turns continue.',
  unpause: 'It takes turns again.',
};

/** Lists the workers of the project, or orders those of a host to do something. */
export async function workers(
  context: Context,
  action: WorkersAction,
  target: string | null,
  options: AsJson,
): Promise<number> {
  const { terminal } = context;
  const project = context.project();
  if (action === 'list') {
    if (target !== null) throw new MailroomError('E_USAGE', '`workers list` takes no host');
    const all = await new Workers(project).list();
    return answer(terminal, options, { schema: 1, workers: all }, () => listing(all, terminal.now()));
  }
  context.outsideTurn(`workers ${action}`);
  context.announce();
  if (action === 'invite') return invite(context, target, options);
  if (target === null)
    throw new MailroomError('E_USAGE', '<worker> is missing', '`mailroom workers` lists them');
  const ordered = await new Workers(project).order(action, target);
  return answer(terminal, options, { schema: 1, action, workers: ordered }, () =>
    ordered.map(({ host, id }) => `${action} ${host} ${id}: ${done[action]}`),
  );
}

/** Prints a key for a worker, as the line of a file with variables. */
async function invite(context: Context, name: string | null, options: AsJson): Promise<number> {
  if (name === null || !/^[\w-]{1,60}$/.test(name))
    throw new MailroomError(
      'E_USAGE',
      `a worker is named with letters, digits, \`_\` and \`-\`${name === null ? '' : `, not \`${name}\``}`,
      'write for example mailroom workers invite builder-1',
    );
  const key = await new Workers(context.project()).invite(name);
  return answer(context.terminal, options, { schema: 1, name, key }, () => [`MAILROOM_WORKER_KEY=${key}`]);
}

function listing(all: readonly WorkerStatus[], now: number): string[] {
  if (all.length === 0) return ['no worker is running: start one with `mailroom worker --roles <names>`'];
  const rows = all.map(({ host, id, state, parked, roles, steps, labels, slots, running, lastSeen }) => [
    host,
    id,
    [state, ...parked.map(({ provider }) => `no ${provider}`)].join(', '),
    [...roles, ...steps.map((kind) => `steps: ${kind}`)].join(', '),
    labels.join(', '),
    `${String(running.length)}/${String(slots)}`,
    listed(running),
    `${since(lastSeen, now)} ago`,
  ]);
  return table(['HOST', 'ID', 'STATE', 'RUNS', 'LABELS', 'SLOTS', 'RUNNING', 'LAST SEEN'], rows);
}
