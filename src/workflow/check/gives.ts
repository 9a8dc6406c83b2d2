import type { Body, Step } from '../model.ts';
import { approvalTypes, handsOver } from './meaning.ts';
import type { GitProperty, StepProperty, Vocabulary } from './vocabulary.ts';
import { ownValue } from '../../kernel/own.ts';

/** The nouns for steps that are not workers with declared values. */
const kinds = {
  'for-each': 'a loop',
  while: 'a loop',
  workflow: 'a sub-workflow',
  gate: 'a gate',
  assign: 'a step that sets values',
  merge: 'a merge',
  land: 'a landing',
  route: 'a route',
  fail: 'a failure',
  finally: 'what runs finally',
} as const;

const properties: Readonly<Record<keyof typeof kinds, readonly StepProperty[]>> = {
  'for-each': ['status', 'values', 'artifacts', 'errors', 'failed', 'exit_code', 'duration'],
  while: ['status', 'values', 'artifacts', 'exit_code', 'duration'],
  workflow: ['status', 'values', 'artifacts', 'exit_code', 'duration'],
  gate: ['status', 'values', 'approval', 'exit_code'],
  assign: ['status', 'exit_code'],
  merge: ['status', 'duration', 'commit', 'branch', 'worktree'],
  land: ['status', 'duration', 'commit', 'branch'],
  route: ['status', 'exit_code'],
  fail: ['status', 'exit_code'],
  finally: ['status'],
};

const inGit: readonly StepProperty[] = ['commit', 'branch', 'worktree'] satisfies readonly GitProperty[];

/** Whether a property is the work of a step in git. */
export function isInGit(property: StepProperty): property is GitProperty {
  return inGit.includes(property);
}

function isOther(kind: string): kind is keyof typeof kinds {
  return Object.hasOwn(kinds, kind);
}

/** Whether a successful step has a property in expressions. */
export function gives({ work, checkout }: Step, property: StepProperty): boolean {
  // The work of a role is that of its message, if roles have git worktrees.
  if (isInGit(property) && !isOther(work.kind)) return checkout !== undefined || work.kind === 'role';
  if (isOther(work.kind)) return properties[work.kind].includes(property);
  return !['approval', 'errors', 'failed'].includes(property);
}

/** What a step provides, as a sentence for a hint; null: its declared values, like any worker. */
export function givesText({ id, work }: Step, { properties: words, hints }: Vocabulary): string | null {
  const { kind } = work;
  if (!isOther(kind)) return null;
  const names = properties[kind].flatMap((property) => {
    const word = Object.keys(words).find((each) => ownValue(words, each) === property);
    return word === undefined ? [] : `\`${word}\``;
  });
  const given = [names.slice(0, -1).join(', '), names.at(-1)].filter((each) => each !== '').join(' and ');
  const more = hints.gives(kind, id);
  return `${kinds[kind]} gives ${given}${more === null ? '' : `; ${more}`}`;
}

/** The names of a step's values; null: a list, or any names. */
export function valueNames(step: Step): readonly string[] | null {
  if (handsOver(step)) return Object.keys(step.values);
  if (step.work.kind === 'gate') return Object.keys(approvalTypes(step.work));
  if (['assign', 'merge', 'land', 'route', 'fail', 'finally'].includes(step.work.kind)) return [];
  return step.work.kind === 'workflow' ? [...namesIn(step.work.workflow.body)] : null;
}

/** The values of a sub-workflow's steps: by step, and by their own name. */
export function namesIn({ steps }: Body): Set<string> {
  const names = new Set<string>();
  for (const step of steps) {
    const own = valueNames(step);
    if (own?.length !== 0) names.add(step.id);
    for (const name of own ?? []) names.add(name);
  }
  return names;
}
