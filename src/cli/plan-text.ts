import { formatDuration } from '../kernel/duration.ts';
import type { Json } from '../kernel/json.ts';
import type { Ceiling } from '../workflow/machine/ceiling.ts';
import { assumed } from '../workflow/machine/expected.ts';
import type { Batch, Contract } from '../documents/workflows.ts';
import { line } from './format.ts';
import type { Colours } from './terminal.ts';
import type { PlanDocument } from '../documents/workflows.ts';

/** A plan in the form of a language that defines its own. */
export function shownPlan(
  { batches, contracts, ceiling, expected, assumptions, overrides, promptContexts }: PlanDocument,
  title: string,
  parameters: Readonly<Record<string, Json>>,
  colours: Colours,
): string[] {
  const byStep = new Map(contracts.map((contract) => [contract.step, contract]));
  const memories = new Map(promptContexts.map(({ step, memory }) => [step, memory]));
  const given = Object.entries(parameters).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const without = contracts.some(({ kind }) => kind === 'GATE') ? ' (excluding approval gates)' : '';
  const { tokens, usd } = expected;
  const time = expected.time === null ? 'unbounded' : formatDuration(expected.time);
  const price = usd === null ? 'the price of a model is not known' : `~$${usd.toFixed(2)}`;
  return [
    `Workflow: ${line(title)}`,
    ...(given.length === 0 ? [] : [`Parameters: ${line(given.join(', '))}`]),
    ...overrides.flatMap(({ file, changes }) => [
      `Overrides: ${line(file)}${changes.length === 0 ? ' (changes nothing)' : ''}`,
      ...changes.map((change) => `  ${line(change)}`),
    ]),
    '',
    'Execution Plan:',
    ...batches.flatMap((batch) => [...batchLines(batch, byStep, memories), '']),
    `Estimated total time: ${time}${without}`,
    `Estimated token cost: ~${rounded(tokens)} tokens (${price})`,
    '',
    ...ceilingLines(ceiling, colours),
    '',
    `(estimated time: ${assumed.time})`,
    `(estimated tokens: ${assumed.tokens})`,
    ...assumptions.map((text) => `(at most: ${text})`),
  ];
}

const limitWords = {
  launches: 'limit of launches',
  time: 'time limit',
  tokens: 'token limit',
  usd: 'dollar limit',
} as const;

/** The worst case, and the limits that are missing. */
export function ceilingLines(ceiling: Ceiling, colours: Colours): string[] {
  const amount = (value: number | null, show: (value: number) => string) =>
    value === null ? 'unbounded or unknown' : show(value);
  return [
    'At most',
    `  launches of agents    ${amount(ceiling.launches, String)}`,
    `  scripts and commands  ${amount(ceiling.processes, String)}`,
    `  time                  ${amount(ceiling.time, (time) => formatDuration(Math.ceil(time / 1_000) * 1_000))}`,
    `  tokens                ${amount(ceiling.tokens, String)}`,
    `  dollars               ${ceiling.usd === null ? 'unpriced' : ceiling.usd.toFixed(2)}`,
    // Several launches of a step may lack the same limit. The timeout of the run limits its steps.
    ...new Set(
      ceiling.unbounded
        .filter(({ what }) => what !== 'time' || ceiling.time === null)
        .map(({ step, what, why }) => colours.yellow(`  ${step}: no ${limitWords[what]}: ${why}`)),
    ),
  ];
}

type Memories = PlanDocument['promptContexts'][number]['memory'];

function batchLines(
  batch: Batch,
  contracts: ReadonlyMap<string, Contract>,
  memories: ReadonlyMap<string | null, Memories>,
): string[] {
  const steps = batch.steps.flatMap((step) => contracts.get(step) ?? []);
  return [
    `  Batch ${String(batch.number)} (${mannerOf(batch, steps)}):`,
    ...steps.flatMap(({ step, display }, index) => [
      ...(index === 0 ? [] : ['']),
      `    [${step}]${display === null || display.title === '' ? '' : ` ${line(display.title)}`}`,
      ...(display?.facts ?? []).map(([name, text]) => `      ${name}: ${line(text)}`),
      ...memoryLines(memories.get(step) ?? null),
    ]),
  ];
}

/** What a prompt would have of the memories now, and what has no room in it. */
function memoryLines(memory: Memories): string[] {
  if (memory === null) return [];
  const { packed, noRoom } = memory;
  const tokens = packed.reduce((sum, each) => sum + each.tokens, 0);
  const has = packed.map(({ file }) => file).join(', ');
  return [
    `      Memories: ${packed.length === 0 ? 'none' : `${line(has)} (~${String(tokens)} tokens)`}`,
    ...noRoom.map(({ file, tokens: size }) => `      No room for: ${line(file)} (~${String(size)} tokens)`),
  ];
}

/** Describes a batch in a few words. */
function mannerOf({ number, parallel }: Batch, steps: readonly Contract[]): string {
  if (steps.every(({ kind }) => kind === 'GATE')) return 'gate';
  const isConditional = ({ display }: Contract) =>
    display?.facts.some(([name]) => name === 'Condition') === true;
  if (steps.every(isConditional)) return 'conditional';
  const after = number === 1 ? '' : ` after Batch ${String(number - 1)}`;
  return `${parallel ? 'parallel' : 'sequential'}${after}`;
}

function rounded(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${String(Math.round(tokens / 1_000))}K`;
}
