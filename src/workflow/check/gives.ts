import type { Body, Step } from '../model.ts';
import { handsOver, stepProperties } from './meaning.ts';

/** What a step is called where it is not a worker that hands over what it declares; null: it is one. */
const kinds = {
  'for-each': 'a loop',
  while: 'a loop',
  workflow: 'a sub-workflow',
  gate: 'a gate',
  assign: 'a step that sets values',
} as const;

const properties = {
  'for-each': ['status', 'values', 'exit_code', 'duration'],
  while: ['status', 'values', 'exit_code', 'duration'],
  workflow: ['status', 'values', 'artifacts', 'exit_code', 'duration'],
  gate: ['status', 'values', 'exit_code'],
  assign: ['status', 'exit_code'],
} as const;

type Other = keyof typeof kinds;

function isOther(kind: string): kind is Other {
  return kind in kinds;
}

/** The properties that a step has in expressions once it succeeded. */
export function propertiesOf({ work }: Step): readonly string[] {
  return isOther(work.kind) ? properties[work.kind] : stepProperties;
}

/** What a step gives, as a sentence for a hint; null: what it declares, as any worker. */
export function givesText({ id, work }: Step): string | null {
  if (!isOther(work.kind)) return null;
  const names = properties[work.kind].map((each) => `\`${each}\``);
  const given = `${kinds[work.kind]} gives ${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
  switch (work.kind) {
    case 'for-each':
    case 'while':
      return `${given}; \`steps.${id}.values\` is a list with what each iteration handed over`;
    case 'gate':
      return `${given}; \`values\` has \`by\` and \`comment\``;
    case 'workflow':
      return `${given}; \`exports\` makes artifacts of its steps its own`;
    case 'assign':
      return `${given}; what it sets is in \`context\``;
  }
}

/** The names among the values of a step; null: it has a list of them, or may have any. */
export function valueNames(step: Step): readonly string[] | null {
  if (handsOver(step)) return Object.keys(step.values);
  if (step.work.kind === 'gate') return ['by', 'comment'];
  if (step.work.kind === 'assign') return [];
  return step.work.kind === 'workflow' ? [...namesIn(step.work.workflow.body)] : null;
}

/** The values of the steps of a sub-workflow: by step, and by their own name. */
function namesIn({ steps }: Body): Set<string> {
  const names = new Set<string>();
  for (const step of steps) {
    const own = valueNames(step);
    if (own?.length !== 0) names.add(step.id);
    for (const name of own ?? []) names.add(name);
  }
  return names;
}
