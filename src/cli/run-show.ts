import { MailroomError } from '../kernel/errors.ts';
import { duration } from '../kernel/times.ts';
import type { Moment } from '../kernel/times.ts';
import type { Context } from './context.ts';
import { called } from '../kernel/called.ts';
import { runOf } from './ids.ts';
import { line, moment, money, pairs, table } from './format.ts';
import { answer, json, type AsJson } from './output.ts';
import { statusWithoutHost } from '../documents/standing.ts';
import { resumeCommand } from '../workflow/runs/run-commands.ts';
import { waitingWhy } from '../workflow/runs/run-status.ts';
import type { StoredRun } from '../project/definition/contracts.ts';
import { shownRun, type ShownRun, type StepRow } from '../workflow/runs/shown-run.ts';
import type { HostedRun } from '../workflow/host/hosted-runs.ts';
import { endReason } from '../workflow/machine/end-reason.ts';
import type { Terminal } from './terminal.ts';

/** Shows a run or a workflow if the word names one. False: it does not. */
export async function showRun(
  context: Context,
  word: string,
  { at, ...options }: AsJson & { readonly at: Moment | null },
): Promise<boolean> {
  const { terminal, call } = context;
  const { workflows } = context.place();
  const run = runOf(context, word, ['message', 'thread', 'run']);
  if (run !== null) {
    const shown = shownRun(run, at);
    const alive = await run.alive();
    const unsent = run.definition.byEvents ? await context.place().workflows.unsent(run.run) : null;
    answer(terminal, options, shown.document, () => runLines(run, shown, { alive, unsent }, terminal));
    return true;
  }
  const waiting = at === null ? workflows.waiting(word) : null;
  if (waiting !== null) {
    answer(terminal, options, waitingDocument(waiting), () => waitingLines(waiting, terminal));
    return true;
  }
  if (!/\.(ya?ml|json)$/.test(word) && !(await workflows.isWorkflow(word))) return false;
  if (at !== null)
    throw new MailroomError(
      'E_USAGE',
      '`--at` shows messages, threads, turns and runs as they were',
      `${word} is a file: git has its past`,
    );
  const { checked, path, text } = await workflows.read(word, call.cwd);
  if (options.json === true) {
    const { showWorkflow } = await import('../workflow/questions/show-workflow.ts');
    terminal.write(json(showWorkflow(path, text, checked)));
  } else terminal.write(`# ${path}\n${text.trimEnd()}\n`);
  return true;
}

/** A run that waits for another one, and has not begun, in the words of one that has. */
function waitingDocument({ card: { run, workflow }, since, waits }: HostedRun): object {
  return {
    schema: 1,
    run,
    workflow,
    language: null,
    status: 'PENDING',
    reason: waitingWhy(since, waits).reason,
    started_at: null,
    completed_at: null,
    cost: { usd: 0, tokens: 0, unpriced: 0 },
    warnings: [],
    steps: {},
  };
}

function waitingLines({ card, since, waits }: HostedRun, { colours }: Terminal): string[] {
  const source = card.source === null ? '' : ` (${card.source})`;
  return [
    colours.bold(`run ${card.run}`),
    `workflow   ${line(card.workflow)}${source}`,
    `status     PENDING: ${waitingWhy(since, waits).reason}`,
    `since      ${moment(new Date(since).toISOString())}`,
    `workspace  ${card.workspace}`,
  ];
}

function runLines(
  run: StoredRun,
  { state, steps, warnings }: ShownRun,
  { alive, unsent }: { readonly alive: boolean; readonly unsent: string | null },
  terminal: Terminal,
): string[] {
  const { definition, card, folder, workspace } = run;
  const isLeft = state.endedAt === null && !alive;
  const status = isLeft ? `stopped: \`${resumeCommand(card)}\` continues it` : state.status;
  const reason = endReason(state);
  const took =
    state.startedAt === null
      ? ''
      : `, ${duration((state.endedAt ?? (alive ? terminal.now() : state.now)) - state.startedAt)}`;
  return [
    terminal.colours.bold(`run ${run.run}`),
    ...pairs([
      [
        'workflow',
        `${called(definition.name, definition.display?.title ?? null)}${card.source === null ? '' : ` (${card.source})`}`,
      ],
      ['status', `${status}${reason === null ? '' : `: ${reason}`}`],
      ['started', `${moment(new Date(card.startedAt).toISOString())}${took}`],
      ['workspace', workspace],
      ['folder', folder],
      ['artifacts', definition.contextAt ?? ''],
      ['cost', money(state.cost)],
      ['events', unsent ?? ''],
      ...warnings.map((warning) => ['warning', warning] as const),
    ]),
    '',
    ...stepTable(isLeft ? steps.map((step) => ({ ...step, status: statusWithoutHost(step.status) })) : steps),
  ];
}

/** The steps, with their agents and worker hosts where one has any. */
function stepTable(steps: readonly StepRow[]): string[] {
  const hasAgents = steps.some(({ agent }) => agent !== null);
  const hasHosts = steps.some(({ host }) => host !== null);
  const hasKeys = steps.some(({ keys }) => keys.length > 0);
  const rows = steps.map(({ path, keys, agent, host, status, took, attempts, reason }) =>
    [
      path,
      ...(hasKeys ? [keys.join(', ')] : []),
      ...(hasAgents ? [agent ?? ''] : []),
      ...(hasHosts ? [host ?? ''] : []),
      status,
      took === null ? '' : duration(took),
      attempts === null ? '' : String(attempts),
      reason,
    ].map(line),
  );
  const more = [
    ...(hasKeys ? ['ITEM'] : []),
    ...(hasAgents ? ['AGENT'] : []),
    ...(hasHosts ? ['WORKER'] : []),
  ];
  return table(['STEP', ...more, 'STATUS', 'TOOK', 'ATTEMPTS', 'REASON'], rows);
}
