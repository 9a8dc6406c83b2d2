import { MailroomError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import { compile, type Rules } from '../workflow/machine/rules.ts';
import type { RunState, StepRun } from '../workflow/machine/state.ts';
import { agentOf, attemptsOf, documentOf, reasonOf, statusOf, warningsOf } from '../workflow/machine/view.ts';
import { duration } from '../kernel/times.ts';
import type { Moment } from '../kernel/times.ts';
import type { Context } from './context.ts';
import { runOf } from './ids.ts';
import { line, moment, money, table } from './format.ts';
import { json } from './output.ts';
import type { StoredRun } from '../operations/runs/services.ts';
import type { Terminal } from './terminal.ts';

/** Shows a run or a workflow if the word names one. False: it does not. */
export async function showRun(
  context: Context,
  word: string,
  { asJson, at }: { readonly asJson: boolean; readonly at: Moment | null },
): Promise<boolean> {
  const { terminal, services } = context;
  const { workflows } = context.place();
  const run = runOf(context, word, ['message', 'thread', 'run']);
  if (run !== null) {
    const state = run.state(at);
    const rules = compile(run.definition);
    const document: JsonObject = { schema: 1, ...documentOf(state, rules) };
    const alive = await run.alive();
    const unsent = run.definition.byEvents ? await unsentOf(context, run) : 0;
    if (asJson) terminal.write(json(document));
    else terminal.print(`${runLines(run, state, { rules, alive, unsent }, terminal).join('\n')}\n`);
    return true;
  }
  if (!/\.(ya?ml|json)$/.test(word) && !(await workflows.isWorkflow(word))) return false;
  if (at !== null)
    throw new MailroomError(
      'E_USAGE',
      '`--at` shows messages, threads, turns and runs as they were',
      `${word} is a file: git has its past`,
    );
  const { checked, path, text } = await workflows.read(word, services.cwd);
  if (asJson) {
    const { showWorkflow } = await import('../operations/show-workflow.ts');
    terminal.write(json(showWorkflow(path, text, checked)));
  } else terminal.write(`# ${path}\n${text.trimEnd()}\n`);
  return true;
}

/** The number of its events that some relay has not acknowledged yet. */
async function unsentOf(context: Context, { run }: StoredRun): Promise<number> {
  const nip = await context.place().nip();
  return (await nip.report(run)).unsentEvents;
}

function runLines(
  run: StoredRun,
  state: RunState,
  { rules, alive, unsent }: { readonly rules: Rules; readonly alive: boolean; readonly unsent: number },
  terminal: Terminal,
): string[] {
  const { definition, card, folder, workspace } = run;
  const isLeft = state.endedAt === null && !alive;
  const status = isLeft ? 'stopped: `mailroom resume` continues it' : state.status;
  const cost = money(state.cost);
  const took =
    state.startedAt === null
      ? ''
      : `, ${duration((state.endedAt ?? (alive ? terminal.now() : state.now)) - state.startedAt)}`;
  const facts = [
    ['workflow', `${line(definition.name)}${card.source === null ? '' : ` (${card.source})`}`],
    ['status', `${status}${state.reason === null ? '' : `: ${line(state.reason.text)}`}`],
    ['started', `${moment(new Date(card.startedAt).toISOString())}${took}`],
    ['workspace', workspace],
    ['folder', folder],
    ...(definition.contextAt === undefined ? [] : [['artifacts', definition.contextAt]]),
    ...(cost === '' ? [] : [['cost', cost]]),
    ...(unsent === 0
      ? []
      : [['events', `${String(unsent)} not sent to a relay; send with: mailroom nip send`]]),
    ...warningsOf(state).map((warning) => ['warning', line(warning)]),
  ];
  const width = Math.max(...facts.map(([name = '']) => name.length));
  return [
    terminal.colours.bold(`run ${run.run}`),
    ...facts.map(([name = '', value = '']) => `${name.padEnd(width)}  ${value}`),
    '',
    ...stepTable(rules, state),
  ];
}

/**
 * Every top-level step of the definition, and every step entered inside them, with their agents
 * where one has an agent of the configuration.
 */
function stepTable(rules: Rules, state: RunState): string[] {
  const tops = [...rules.root.steps.keys()];
  const order = new Map([...state.steps.keys()].map((path, index) => [path, index]));
  const paths = [...new Set([...tops, ...state.steps.keys()])].toSorted(
    (a, b) => tops.indexOf(topOf(a)) - tops.indexOf(topOf(b)) || compareInner(a, b, order),
  );
  const agents = new Map(paths.map((path) => [path, agentOf(state, rules, path)]));
  const hasAgents = [...agents.values()].some((agent) => agent !== null);
  const rows = paths.map((path) => {
    const step = state.steps.get(path);
    return [
      path,
      ...(hasAgents ? [agents.get(path) ?? ''] : []),
      statusOf(state, path),
      tookOf(step),
      step ? String(attemptsOf(step)) : '',
      step ? reasonFor(step) : '',
    ].map(line);
  });
  return table(['STEP', ...(hasAgents ? ['AGENT'] : []), 'STATUS', 'TOOK', 'ATTEMPTS', 'REASON'], rows);
}

/** The reason for a step's end; for a waiting approval its question. */
function reasonFor(step: StepRun): string {
  return step.phase.is === 'asked' ? `asks: ${step.phase.message}` : (reasonOf(step) ?? '');
}

/**
 * Iterations by their number, and in each the steps in the order of their start; `order` is that of
 * all steps.
 */
function compareInner(a: string, b: string, order: ReadonlyMap<string, number>): number {
  const [left, right] = [a.split('/'), b.split('/')];
  const at = left.findIndex((part, index) => part !== right[index]);
  if (at === -1 || right[at] === undefined) return left.length - right.length;
  const numbers = Number(left[at]) - Number(right[at]);
  if (!Number.isNaN(numbers)) return numbers;
  const began = (path: readonly string[]) => order.get(path.slice(0, at + 1).join('/')) ?? Infinity;
  return began(left) - began(right);
}

function topOf(path: string): string {
  return (path.split('/')[0] ?? path).replace(/#\d+$/, '');
}

function tookOf(step: StepRun | undefined): string {
  if (step === undefined || step.startedAt === null || step.settledAt === null) return '';
  return duration(step.settledAt - step.startedAt);
}
