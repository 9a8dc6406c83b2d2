import type { RunEvent } from '../workflow/machine/event.ts';
import type { RunState, StepRun } from '../workflow/machine/state.ts';
import { warningsOfSettled } from '../workflow/machine/view.ts';
import { describeRunEvent, isSummarised, type RunChange } from '../workflow/runs/changes.ts';
import { span } from '../kernel/times.ts';
import { cut } from './columns.ts';
import { line, money } from './format.ts';
import type { Keyboard } from './live-keys.ts';
import { ProgressLines, type ProgressView } from './progress-lines.ts';
import type { RunController } from '../project/definition/contracts.ts';
import type { Colours, Room, Terminal } from './terminal.ts';

/** The progress display of a running workflow. */
export interface RunProgress extends ProgressView {
  look(events: readonly RunEvent[], state: RunState): void;
}

/**
 * Shows the progress of a run: a line per event of a step, and on a terminal the running and
 * waiting steps below them. `keys`: what a person can press there; null: there is no terminal.
 * `quiet`: keeps standard output free for a document.
 */
export function startRunProgress(
  terminal: Terminal,
  controller: RunController,
  { keys, quiet }: { readonly keys: Keyboard | null; readonly quiet: boolean },
): RunProgress {
  const live = keys && { lines: (room: Room) => blockLines(terminal, controller, room), keys };
  const lines = new ProgressLines(terminal, { live, quiet });
  const { colours } = lines;
  lines.notes(controller.notes);
  return {
    look: (events, state) => {
      lines.problems(controller.problems());
      for (const event of events) {
        const change = describeRunEvent(event, state, controller.rules);
        // On a terminal the block below shows what has started.
        if (change !== null && !(live !== null && change.kind === 'started'))
          lines.say(paintedRun(change, colours));
        for (const warning of warningsOfSettled(event, state))
          lines.say(colours.yellow(`! ${line(warning)}`));
      }
      if (events.length > 0) lines.changed();
    },
    say: (text) => lines.say(text),
    close: () => lines.close(),
  };
}

/** A change in a run, with a mark for its kind. */
export function paintedRun({ kind, text }: RunChange, colours: Colours): string {
  const plain = line(text);
  switch (kind) {
    case 'good':
      return `${colours.green('✓')} ${plain}`;
    case 'bad':
      return `${colours.red('✗')} ${plain}`;
    case 'again':
      return `${colours.yellow('↻')} ${plain}`;
    case 'skipped':
      return colours.dim(`· ${plain}`);
    case 'notice':
      return `${colours.cyan('?')} ${plain}`;
    case 'started':
      return `▸ ${plain}`;
    default:
      return kind satisfies never;
  }
}

/**
 * Steps that run, are checked, or wait for a person, with their times; and the progress of the run.
 */
function blockLines(
  terminal: Terminal,
  { state, rules, latest }: RunController,
  { columns, rows }: Room,
): string[] {
  const now = terminal.now();
  const active = [...state.active].flatMap((path) => state.steps.get(path) ?? []);
  const done = [...state.steps.values()].filter(({ phase }) => phase.is === 'settled').length;
  const lines = active.map((step) => {
    const text = stepLine(step, now, isSummarised(state, rules, step.path));
    return [text, ...latest(step.path, 1)].join('  ');
  });
  const fitting = lines.slice(0, Math.max(1, rows - 1));
  const hidden = lines.length - fitting.length;
  const figures = [
    `${String(done)} done`,
    `${String(active.length)} running`,
    ...(state.paused === null ? [] : ['paused']),
    ...(state.ready.size > 0 ? [`${String(state.ready.size)} ready`] : []),
    ...(money(state.cost) === '' ? [] : [money(state.cost)]),
    ...(state.startedAt === null ? [] : [span(now - state.startedAt)]),
  ];
  const fit = (text: string) => cut(line(text), columns - 1);
  return [
    terminal.colours.dim(fit(`── ${figures.join(' · ')} ──`)),
    ...fitting.map(fit),
    ...(hidden > 0 ? [terminal.colours.dim(`and ${String(hidden)} more`)] : []),
  ];
}

/** The steps that have run, or waited for a person, for at least this long, in words. */
export function stepsUnderWay({ state, rules }: RunController, now: number, least: number): string[] {
  return [...state.active].flatMap((path) => {
    const step = state.steps.get(path);
    if (step === undefined) return [];
    const { phase, startedAt } = step;
    const since =
      phase.is === 'running' || phase.is === 'checking'
        ? phase.since
        : phase.is === 'asked'
          ? startedAt
          : null;
    if (since === null || now - since < least) return [];
    return [
      stepLine(step, now, isSummarised(state, rules, path))
        .slice(2)
        .replace('  ', ' '),
    ];
  });
}

function stepLine({ path, phase, startedAt, iteration }: StepRun, now: number, isSummary: boolean): string {
  const round = iteration > 1 ? `, round ${String(iteration)}` : '';
  switch (phase.is) {
    case 'running':
      return `▸ ${path}  ${span(now - phase.since)}${round}`;
    case 'checking':
      return `▸ ${path}  ${isSummary ? 'is summarized' : 'is checked'}, ${span(now - phase.since)}${round}`;
    case 'waiting':
    case 'check-waiting': {
      const why = phase.provider === null ? 'tries again' : `${phase.provider} is rate limited, continues`;
      return `↻ ${path}  ${why} in ${span(Math.max(0, phase.notBefore - now))}`;
    }
    case 'asked':
      return `? ${path}  waits for approval, ${span(now - (startedAt ?? now))}`;
    default:
      return `▸ ${path}`;
  }
}
