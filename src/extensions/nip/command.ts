import { counted } from '../../kernel/enumerate.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Defined, ExecutionReport } from './nostr/documents.ts';
import type { PublishedStatus } from './nostr/documents.ts';
import { handOver } from '../../workflow/questions/start.ts';
import { NipWorkflows } from './workflows.ts';
import type { Context } from '../../cli/context.ts';
import type { RemoteStatus } from './documents.ts';
import { problemDocuments, problemsText } from '../../project/definition/problems.ts';
import { caller } from '../../cli/control.ts';
import { complainOf } from '../../cli/failures.ts';
import { line } from '../../cli/format.ts';
import { fileText } from '../../cli/message-options.ts';
import { json } from '../../cli/output.ts';
import { follow } from '../../cli/run-follow.ts';
import { pair } from '../../cli/run-start.ts';
import type { Budget } from '../../kernel/cost.ts';

interface NipOptions {
  readonly input?: readonly string[];
  readonly budget?: string;
  readonly timeout?: string;
  readonly async?: boolean;
  readonly json?: boolean;
}

type Action = 'define' | 'execute' | 'status' | 'send';

/** Manages workflows of the language nip by their ids. */
export async function runNip(
  context: Context,
  action: Action,
  what: string | null,
  options: NipOptions,
): Promise<number> {
  if (action !== 'execute') refuseOptions(action, options);
  if (action !== 'send')
    return { define, execute, status }[action](context, expectWhat(action, what), options);
  if (what === null) return send(context, options);
  throw new MailroomError('E_USAGE', `\`nip send\` takes no \`${what}\``, 'it sends everything');
}

function expectWhat(action: Exclude<Action, 'send'>, what: string | null): string {
  if (what !== null) return what;
  const missing = { define: 'a file', execute: 'the id of a workflow', status: 'a run' }[action];
  throw new MailroomError('E_USAGE', `\`nip ${action}\` needs ${missing}`, `mailroom nip ${action} <what>`);
}

/** Rejects options that only a run accepts. */
function refuseOptions(action: string, options: NipOptions): void {
  const given = (['input', 'budget', 'timeout', 'async'] as const).find(
    (name) => options[name] !== undefined,
  );
  if (given !== undefined)
    throw new MailroomError(
      'E_USAGE',
      `\`nip ${action}\` takes no \`--${given}\``,
      'it belongs to `nip execute`',
    );
}

/** Signs a definition and publishes it. */
async function define(context: Context, file: string, options: NipOptions): Promise<number> {
  context.outsideTurn('nip define');
  const { call, terminal } = context;
  const text = fileText(call, file);
  context.announce();
  const nip = new NipWorkflows(context.place());
  const defined = await nip.define({ text, file });
  const { workflowId, eventId, version, stepCount, replaced, newer, warnings } = defined;
  const instead = replaced === null ? '' : `, replaces event ${replaced}`;
  const kept =
    newer === null ? '' : `, but ${workflowId} stays event ${newer}, which its author signed later`;
  const steps = counted(stepCount, 'step');
  if (options.json !== true && warnings.length > 0) complainOf(problemsText(warnings), terminal);
  terminal.write(
    options.json === true
      ? json({ schema: 1, ...defined, warnings: problemDocuments(warnings) })
      : `defined ${workflowId} ${version}, ${steps}: event ${eventId}${instead}${kept}\n${relayLines(defined).join('')}`,
  );
  return 0;
}

function relayLines({ relays }: Defined): string[] {
  return Object.entries(relays ?? {}).map(([relay, verdict]) => line(`${relay}: ${verdict}`) + '\n');
}

/** Runs a defined workflow until it ends. */
async function execute(context: Context, workflow: string, options: NipOptions): Promise<number> {
  context.outsideTurn('nip execute');
  context.announce();
  const place = context.place();
  const { workflows } = place;
  const nip = new NipWorkflows(place);
  const { parseBudget } = await import('../../workflow/runs/parameters.ts');
  const msats = options.budget === undefined ? null : msatsOf(options.budget, parseBudget(options.budget));
  const inputs = (options.input ?? []).map(pair);
  const begin = await nip.prepare({ workflow, inputs, msats, timeout: timeoutOf(options.timeout) });
  const person = caller(context);
  if (options.async === true) {
    const controller = await workflows.begin({ ...begin, person, watch: () => {} });
    // The run starts here, where errors can be reported, and continues in another process.
    await handOver(place, controller);
    return printStatus(context, await nip.report(controller.run), options);
  }
  return follow(
    context,
    { json: options.json === true },
    (watch) => workflows.begin({ ...begin, person, watch }),
    async ({ run }) => ({ schema: 1, ...(await nip.report(run)) }),
  );
}

/** Sends the relays the events that they have not acknowledged yet. Exit code 1: some are left. */
async function send(context: Context, options: NipOptions): Promise<number> {
  context.outsideTurn('nip send');
  context.announce();
  const { terminal } = context;
  const { sent, unsent, problems } = await new NipWorkflows(context.place()).send();
  for (const problem of problems) terminal.complain(line(problem) + '\n');
  terminal.write(
    options.json === true
      ? json({ schema: 1, sent, unsent, problems })
      : `sent ${String(sent)}, ${String(unsent)} left\n`,
  );
  return unsent === 0 ? 0 : 1;
}

/** Prints the status of a run. */
async function status(context: Context, run: string, options: NipOptions): Promise<number> {
  const nip = new NipWorkflows(context.place());
  return printStatus(context, await nip.status(run), options);
}

function printStatus(
  { terminal }: Context,
  report: ExecutionReport | RemoteStatus,
  { json: isJson }: NipOptions,
): number {
  const text = () => ('reports' in report ? report.reports.map(publishedLines).join('') : lines(report));
  terminal.write(isJson === true ? json({ schema: 1, ...report }) : text());
  return 0;
}

/** The budget of a run by id is in msats only. Throws `E_USAGE`. */
function msatsOf(text: string, { usd, tokens, units }: Budget): number {
  if (units !== undefined && usd === null && tokens === null) return units;
  throw new MailroomError('E_USAGE', `\`${text}\` is not a valid budget`, 'write msats=1000');
}

/** Converts seconds on the command line to milliseconds. Throws `E_USAGE`. */
function timeoutOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text) * 1_000;
  throw new MailroomError(
    'E_USAGE',
    `\`${text}\` is not a valid timeout`,
    'a whole number of seconds, from 1 on',
  );
}

function lines(report: ExecutionReport): string {
  const { run, executionId, workflowId } = report;
  const called = executionId === run ? '' : `, asked for as ${executionId}`;
  return linesOf(workflowId, `run ${run}${called}`, report);
}

function publishedLines(report: PublishedStatus): string {
  const { executionId, reportedBy, reportedAt } = report;
  return linesOf(executionId, `reported by ${reportedBy} at ${reportedAt}`, report);
}

function linesOf(
  what: string,
  source: string,
  {
    status: stands,
    progress,
    currentStep,
    totalCost,
    outputs,
    message,
  }: Pick<PublishedStatus, 'status' | 'progress' | 'currentStep' | 'totalCost' | 'outputs' | 'message'>,
): string {
  const at = currentStep === null ? '' : `, at ${currentStep}`;
  const why = message === '' ? '' : `: ${message}`;
  const done = `${String(progress.completed)} of ${String(progress.total)} steps completed${at}`;
  const made = Object.entries(outputs).map(([name, value]) => line(`${name}: ${JSON.stringify(value)}`));
  return [
    line(`${what} ${stands}${why}`),
    line(`${source}, ${done}, ${String(totalCost)} msats`),
    ...made,
    '',
  ].join('\n');
}
