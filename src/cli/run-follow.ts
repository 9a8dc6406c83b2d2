import { limitReached } from '../workflow/machine/end-reason.ts';
import { endOfId } from '../kernel/ids.ts';
import type { RunStatus } from '../workflow/machine/status.ts';
import type { RunState } from '../workflow/machine/state.ts';
import { warningsOf } from '../workflow/machine/view.ts';
import type { Context } from './context.ts';
import { endText } from '../workflow/runs/changes.ts';
import { line, printable } from './format.ts';
import { json } from './output.ts';
import { startRunLines } from './run-lines.ts';
import { startHeartbeat, heartbeatOf } from './heartbeat.ts';
import { startRunProgress, stepsUnderWay, type RunProgress } from './run-progress.ts';
import { runKeys } from './host-keys.ts';
import { untilEnd } from './until-end.ts';
import type { RunController, RunWatcher, StepLog } from '../project/definition/contracts.ts';

export interface FollowOptions {
  /** True: the output of every step; else of this one. */
  readonly follow?: string | true;
  readonly heartbeat?: string;
  readonly plain?: boolean;
  readonly json?: boolean;
}

const exitCodes: Readonly<Record<RunStatus, number>> = {
  PENDING: 1,
  RUNNING: 130,
  SUCCEEDED: 0,
  FAILED: 1,
  TIMED_OUT: 124,
  CANCELLED: 130,
};

/**
 * Starts a run, shows its progress, and resolves to the exit code of its end. `document`: what
 * `--json` prints then.
 */
export async function follow(
  context: Context,
  options: FollowOptions,
  start: (watch: RunWatcher, waits: (reason: string) => void) => Promise<RunController>,
  document: (controller: RunController) => Promise<object> = runDocument,
): Promise<number> {
  const { terminal, call } = context;
  const interval = heartbeatOf(options.heartbeat, call.environment['CI']);
  const shown: { progress: RunProgress | null } = { progress: null };
  const controller = await start(
    (events, state) => shown.progress?.look(events, state),
    (reason) => terminal.complain(`waits: ${line(reason)}\n`),
  );
  const live = terminal.interactive && options.plain !== true && options.json !== true;
  const keys = live ? runKeys(context, controller) : null;
  const progress =
    controller.rules.workflow.ownWorkspace === null
      ? startRunProgress(terminal, controller, { keys, quiet: options.json === true })
      : startRunLines(terminal, controller);
  shown.progress = progress;
  const output = stepOutput(context, controller, options);
  const forget = [
    startHeartbeat(
      terminal,
      live ? null : interval,
      (text) => progress.say(text),
      (least) => stepsUnderWay(controller, terminal.now(), least),
    ),
    ...(output === null ? [] : [terminal.every(outputMs, () => sayAll(output.read(false), progress))]),
  ];
  try {
    const resume = context.commandLine(`resume ${controller.run}`);
    const ending = {
      stopping: 'Stopping',
      atOnce: `Ended at once. To resume: \`${resume}\``,
      end: () => controller.end('stop'),
    };
    await untilEnd(terminal, progress, ending, () => controller.follow());
    // A problem found at the very end belongs to no event.
    progress.look([], controller.state);
    sayAll(output?.read(true), progress);
  } finally {
    for (const stop of forget) stop();
    await progress.close();
  }
  const unsent = controller.unsent();
  if (unsent !== null) terminal.complain(`${unsent}\n`);
  const unreported = controller.unreported();
  if (unreported !== null) terminal.complain(`${line(unreported)}\n`);
  if (options.json === true) terminal.write(json(await document(controller)));
  else terminal.print(`${warningLines(context, controller)}${lastLine(context, controller)}`);
  return exitCodeOf(controller.state);
}

/** How often the output of steps is looked at, in milliseconds. */
const outputMs = 200;

function stepOutput(
  context: Context,
  { run }: RunController,
  { follow: step }: FollowOptions,
): StepOutput | null {
  if (step === undefined) return null;
  const stored = context.place().workflows.run(run);
  return new StepOutput(() => stored.logs(), step === true ? null : step);
}

function sayAll(lines: readonly string[] | undefined, progress: RunProgress): void {
  for (const text of lines ?? []) progress.say(text);
}

async function runDocument({ state, rules }: RunController): Promise<object> {
  const { documentOf } = await import('../workflow/machine/view.ts');
  return { schema: 1, ...documentOf(state, rules) };
}

/** A run that failed because a path would have left its root has the exit code of such a path. */
function exitCodeOf({ status, reason }: RunState): number {
  return status === 'FAILED' && reason?.code === 'E_PATH' ? 3 : exitCodes[status];
}

/** The number of warnings repeated at the end. */
const mostWarnings = 20;

function warningLines({ commandLine }: Context, { run, state }: RunController): string {
  const warnings = warningsOf(state);
  if (warnings.length === 0) return '';
  const rest = warnings.length - mostWarnings;
  const lines = warnings.slice(0, mostWarnings).map((warning) => `- ${line(warning)}`);
  const more = rest > 0 ? [`and ${String(rest)} more: ${commandLine(`show ${endOfId(run)}`)}`] : [];
  return `${['warnings:', ...lines, ...more].join('\n')}\n`;
}

function lastLine({ commandLine }: Context, { run, state }: RunController): string {
  if (state.status === 'RUNNING') return `stopped; resume with: ${commandLine(`resume ${run}`)}\n`;
  const word = endOfId(run);
  const { rollback } = state;
  // A run that was rolled back cannot be resumed.
  const isOver = rollback?.over === true && rollback.problem === null;
  const limit = limitReached(state);
  const again = limit === null ? commandLine(`resume ${word}`) : commandLine(`resume ${word} --update`);
  const first = limit === null ? '' : `raise \`${limit}\` in its file, then `;
  const resume = isOver ? '' : `\nresume:  ${first}${again}`;
  const next = `\ndetails: ${commandLine(`show ${word}`)}${resume}`;
  return `run ${run} ${printable(endText(state))}${state.status === 'SUCCEEDED' ? '' : next}\n`;
}

type Logs = () => readonly Pick<StepLog, 'name' | 'path' | 'read'>[];

/** The output of a run's steps as it comes, in whole lines: `build | 3 tests passed`. */
export class StepOutput {
  readonly #logs: Logs;
  readonly #isWanted: (path: string) => boolean;
  readonly #at = new Map<string, number>();
  /** The beginning of a line whose end has not come yet, by log. */
  readonly #begun = new Map<string, string>();

  /** `step`: only this step, with its inner steps and all iterations; null: all. */
  constructor(logs: Logs, step: string | null) {
    this.#logs = logs;
    this.#isWanted = stepFilter(step);
  }

  /** The lines since the last call. `ended`: an unfinished line counts, too. */
  read(ended: boolean): string[] {
    return this.#logs().flatMap((log) => {
      const { name, path } = log;
      if (!this.#isWanted(path)) return [];
      const { text, end } = log.read(this.#at.get(name) ?? 0);
      this.#at.set(name, end);
      const lines = `${this.#begun.get(name) ?? ''}${text}`.split(/\r\n|\n/);
      const last = lines.pop() ?? '';
      this.#begun.set(name, ended ? '' : last);
      if (ended && last !== '') lines.push(last);
      return lines.map((each) => `${path} | ${printable(each)}`);
    });
  }
}

/** A step and all below it; for a step in a loop, each iteration. Null: every step. */
function stepFilter(step: string | null): (path: string) => boolean {
  return (path) => step === null || `${path}/`.startsWith(`${step}/`) || path.endsWith(`/${step}`);
}
