import { counted } from '../../kernel/enumerate.ts';
import { isSuspended } from '../../process/proc.ts';
import { stopHolder } from '../../up/beside.ts';
import type { Context } from '../context.ts';
import { answer, type AsJson } from '../output.ts';

interface StopDocument {
  readonly schema: 1;
  /** Of the controller; null: none ran. */
  readonly pid: number | null;
  /** Whether it has ended. */
  readonly over: boolean;
  /** How many threads are open. */
  readonly threads: number;
  /** The runs that continue in processes of their own. */
  readonly runs: readonly string[];
}

/** Ends the controller of the project, as Ctrl-C in its terminal would, and waits for its end. */
export async function stop(context: Context, options: AsJson): Promise<number> {
  context.outsideTurn('stop');
  const { terminal } = context;
  const project = context.project();
  context.announce();
  const end = new AbortController();
  const forget = terminal.onSignal(() => end.abort());
  const stopping = stopHolder(project);
  if (stopping !== null && terminal.interactive)
    terminal.complain(`Stopping process ${String(stopping.pid)}. Ctrl-C only ends the waiting.\n`);
  const notice = terminal.every(patience, () => {
    notice();
    if (stopping !== null) terminal.complain(`${whyItLasts(stopping.pid)}\n`);
  });
  const isOver = (await stopping?.over(end.signal)) ?? true;
  notice();
  forget();
  const threads = [...project.journal.state().threads.values()].filter(
    ({ state }) => state === 'open',
  ).length;
  const { runs } = await project.workflows.status(project.holder());
  const document: StopDocument = {
    schema: 1,
    pid: stopping?.pid ?? null,
    over: isOver,
    threads,
    runs: runs.filter(({ state }) => state !== 'stopped').map(({ run }) => run),
  };
  answer(terminal, options, document, () => lines(document, stopping?.isController ?? true));
  return isOver ? 0 : 130;
}

/** Milliseconds after which it says what it waits for. */
const patience = 5_000;

function whyItLasts(pid: number): string {
  const process = `process ${String(pid)}`;
  return isSuspended(pid)
    ? `${process} is suspended, so it cannot end: \`kill -CONT ${String(pid)}\` lets it continue and end`
    : `${process} still ends what it has started; \`kill -KILL ${String(pid)}\` ends it at once, and the next \`mailroom up\` continues`;
}

function lines({ pid, over, threads, runs }: StopDocument, isController: boolean): string[] {
  const process = `process ${String(pid)}`;
  const first =
    pid === null
      ? 'no controller runs here'
      : over
        ? `stopped: ${process}`
        : `${process} has not ended yet; \`mailroom status\` shows what it does`;
  const next = isController
    ? `${counted(threads, 'open thread')} will continue with the next \`mailroom up\``
    : 'it was a run that moved the mail: `mailroom runs` shows how it continues';
  const beside = `${counted(runs.length, 'run')} in processes of their own: \`mailroom cancel <run>\` ends one`;
  return [
    first,
    ...(over && (threads > 0 || !isController) ? [next] : []),
    ...(runs.length > 0 ? [beside] : []),
  ];
}
