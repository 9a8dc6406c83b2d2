import { bodyOf } from '../../workflow/bodies.ts';
import { reachedFrom, waysOf } from '../../workflow/flow.ts';
import type { Body } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { FileFacts, Reading } from './lowering.ts';

/** The steps that come before a step in its body, at some time; by the names of both. */
type Before = (target: string, step: string) => boolean;

/** Checks the ways between steps: what is read before it can be there, and steps that nothing leads to. */
export function checkFlow(body: Body, facts: FileFacts, pathOf: (step: string) => Path): void {
  const before = new Map<string, Before>();
  const lost: string[] = [];
  visit(body, before, lost);
  // Where a way is written wrong, the step that it should lead to is not to blame.
  const isWhole = facts.diagnostics.problems.every(({ severity }) => severity === 'warning');
  for (const step of isWhole ? lost : [])
    facts.diagnostics.warn(
      pathOf(step),
      `no transition leads to \`${step}\``,
      'the first step begins, and others follow by `goto`',
    );
  for (const reading of facts.readings) checkReading(reading, facts, before);
}

function visit(body: Body, before: Map<string, Before>, lost: string[]): void {
  const ways = waysOf(body);
  const numbers = new Map(body.steps.map(({ id }, index) => [id, index]));
  const reached = new Map<number, ReadonlySet<number>>();
  const from = (step: number) => {
    const known = reached.get(step) ?? reachedFrom([step], ways);
    reached.set(step, known);
    return known;
  };
  const comesBefore: Before = (target, step) => {
    const [a, b] = [numbers.get(target), numbers.get(step)];
    return a === undefined || b === undefined || from(a).has(b);
  };
  const found = from(0);
  for (const [index, { id, work }] of body.steps.entries()) {
    before.set(id, comesBefore);
    if (index > 0 && !found.has(index)) lost.push(id);
    const inner = bodyOf(work);
    if (inner !== null) visit(inner, before, lost);
  }
}

/** What a step reads must be able to be there: a step before it, or before a loop around it. */
function checkReading(
  { step, path, span, by, allowed }: Reading,
  { diagnostics, steps }: FileFacts,
  before: ReadonlyMap<string, Before>,
): void {
  const target = steps.get(step);
  if (target === undefined) return;
  const tell = (message: string, hint: string | null): void => {
    if (span === null) diagnostics.warn(path, `${message}: this never holds`, hint);
    else if (!allowed) diagnostics.errorAt('E_VAR_MISSING', path, span, message, hint);
  };
  const isSeen = target.loops.every((loop, index) => by.loops[index] === loop);
  if (!isSeen) {
    const loop = target.loops.find((each, index) => by.loops[index] !== each) ?? '';
    const hint = 'a `set_context` in the loop hands on what is needed after it';
    return tell(`\`${step}\` is a step of the loop \`${loop}\`, and not seen outside of it`, hint);
  }
  const depth = target.loops.length;
  // The condition of a loop sees the steps of the round before, whichever they are.
  if (by.isCondition && depth === by.loops.length) return;
  const reader = by.loops[depth] ?? by.step;
  if (by.isOver === true && reader === step) return;
  if (before.get(step)?.(step, reader) === false)
    tell(
      `\`${step}\` never comes before \`${by.step}\``,
      reader === step ? 'a step cannot read what it has not done yet' : null,
    );
}
