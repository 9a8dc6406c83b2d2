import { resolve } from 'node:path';
import { MailroomError } from '../../core/errors.ts';
import type { ExecutionReport } from '../../core/nip/report.ts';
import type { Context } from '../context.ts';
import type { Defined } from '../nip-services.ts';
import { line } from '../format.ts';
import { json } from '../output.ts';
import { follow } from '../run-follow.ts';
import { pair } from '../run-start.ts';

export interface NipOptions {
  readonly input?: readonly string[];
  readonly budget?: string;
  readonly timeout?: string;
  readonly json?: boolean;
}

/** Signs a definition and makes it known. */
export async function define(context: Context, file: string, options: NipOptions): Promise<number> {
  context.outsideTurn('nip define');
  const { services, terminal } = context;
  const text = services.readText(resolve(services.cwd, file));
  if (text === null) throw new MailroomError('E_TARGET', `there is no file ${file}`);
  const nip = await context.place().nip();
  const defined = await nip.define({ text, file });
  const { workflowId, eventId, version, stepCount } = defined;
  const steps = stepCount === 1 ? '1 step' : `${String(stepCount)} steps`;
  terminal.write(
    options.json === true
      ? json({ schema: 1, ...defined })
      : `defined ${workflowId} ${version}, ${steps}: event ${eventId}\n${relayLines(defined).join('')}`,
  );
  return 0;
}

function relayLines({ relays = {} }: Defined): string[] {
  return Object.entries(relays).map(([relay, verdict]) => line(`${relay}: ${verdict}`) + '\n');
}

/** Runs a defined workflow to its end. */
export async function execute(context: Context, workflow: string, options: NipOptions): Promise<number> {
  context.outsideTurn('nip execute');
  const place = context.place();
  const { workflows } = place;
  const nip = await place.nip();
  const { parseBudget } = await import('../../engine/operations/runs/parameters.ts');
  const msats = options.budget === undefined ? null : (parseBudget(options.budget).msats ?? null);
  const inputs = (options.input ?? []).map(pair);
  const begin = await nip.prepare({ workflow, inputs, msats, timeout: timeoutOf(options.timeout) });
  return follow(
    context,
    { json: options.json === true },
    (watch) => workflows.begin({ ...begin, watch }),
    ({ run }) => Promise.resolve({ schema: 1, ...nip.report(run) }),
  );
}

/** Tells how a run stands. */
export async function status(context: Context, run: string, options: NipOptions): Promise<number> {
  const { terminal } = context;
  const nip = await context.place().nip();
  const report = nip.report(run);
  terminal.write(options.json === true ? json({ schema: 1, ...report }) : lines(report));
  return 0;
}

/** Seconds of the command line as milliseconds. Throws `E_USAGE`. */
function timeoutOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^[1-9]\d{0,7}$/.test(text)) return Number(text) * 1_000;
  throw new MailroomError('E_USAGE', `\`${text}\` is no timeout`, 'a whole number of seconds, from 1 on');
}

function lines(report: ExecutionReport): string {
  const { executionId, workflowId, status: stands, progress, currentStep, totalCost, outputs } = report;
  const at = currentStep === null ? '' : `, at ${currentStep}`;
  const why = report.message === '' ? '' : `: ${line(report.message)}`;
  const done = `${String(progress.completed)} of ${String(progress.total)} steps are over${at}`;
  const made = Object.entries(outputs).map(([name, value]) => line(`${name}: ${JSON.stringify(value)}`));
  return [
    `${workflowId} ${stands}${why}`,
    `run ${executionId}, ${done}, ${String(totalCost)} msats`,
    ...made,
    '',
  ].join('\n');
}
