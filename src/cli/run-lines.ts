import { lastFailure } from '../workflow/machine/view.ts';
import type { RunEvent } from '../workflow/machine/event.ts';
import { durationOf } from '../workflow/machine/scope.ts';
import { skipText, warningsOfSettled } from '../workflow/machine/view.ts';
import type { RunState } from '../workflow/machine/state.ts';
import { line } from './format.ts';
import type { RunProgress } from './run-progress.ts';
import { refusedCommand } from '../workflow/runs/changes.ts';
import type { RunController } from '../project/definition/contracts.ts';
import type { Terminal } from './terminal.ts';
import type { Reason } from '../kernel/errors.ts';

/** Shows the progress of a run in plain lines on standard error: `INFO: Step 'Build' starting.` */
export function startRunLines(terminal: Terminal, controller: RunController): RunProgress {
  const say = (text: string): void => terminal.complain(`${line(text)}\n`);
  let reported: ReadonlySet<string> = new Set();
  for (const note of controller.notes) say(`WARNING: ${note}`);
  return {
    look: (events, state) => {
      for (const event of events) {
        for (const text of linesOf(event, state)) say(text);
        for (const warning of warningsOfSettled(event, state)) say(`WARNING: ${warning}`);
      }
      const wrong = controller.problems();
      for (const problem of wrong) if (!reported.has(problem)) say(`WARNING: ${problem}`);
      reported = new Set(wrong);
    },
    say: (text) => say(`INFO: ${text}`),
    close: () => Promise.resolve(),
  };
}

function linesOf(event: RunEvent, state: RunState): string[] {
  switch (event.type) {
    case 'started':
    case 'expanded':
      return [`INFO: Step '${event.path}' starting.`];
    case 'skipped':
      return [`INFO: Step '${event.path}' skipped: ${skipText(event.reason)}.`];
    case 'retrying': {
      const pause = Math.max(0, event.notBefore - event.at);
      const failure = event.what === 'worker' ? lastFailure(state, event.path) : null;
      const why = failure === null ? '.' : `: ${reasonText(failure.reason)}`;
      return [`WARNING: Step '${event.path}' is tried again in ${seconds(pause)}${why}`];
    }
    case 'settled':
      return [settledLine(event, state)];
    case 'ending':
      return event.scope === '' && event.ending.why === 'cancelled'
        ? [`WARNING: cancelled by ${event.ending.by}.`]
        : [];
    case 'controlled':
      return [`WARNING: ${refusedCommand(event)}`];
    default:
      return [];
  }
}

function settledLine(
  { path, status, reason }: Extract<RunEvent, { type: 'settled' }>,
  state: RunState,
): string {
  const step = state.steps.get(path);
  const took = seconds(step === undefined ? 0 : durationOf(step));
  if (status === 'SUCCEEDED' || status === 'INCOMPLETE')
    return `INFO: Step '${path}' completed successfully in ${took}.`;
  return `ERROR: Step '${path}' failed after ${took}: ${reason === null ? status : reasonText(reason)}`;
}

/** With its code, if that says more than that a step failed. */
function reasonText({ code, text }: Reason): string {
  return code === 'E_STEP' ? text : `${code}: ${text}`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)}s`;
}
