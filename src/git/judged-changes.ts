import { createHash } from 'node:crypto';
import type { RuleChanges } from '../kernel/work.ts';
import { kindOfPath, type ObeyedPlaces } from '../process/sandbox/obeyed-paths.ts';
import type { TreeChange } from './workspace-tree.ts';

/** The files that the rules of a project name, such as scripts of commands, relative to it. */
export type NamedFiles = () => Promise<readonly string[]>;

/** What work changes besides files that only matter inside of a sandbox. */
export interface JudgedChanges {
  /** Mailroom's own files and mail: they never travel. */
  readonly state: readonly TreeChange[];
  /** Null: it changes none. */
  readonly rules: RuleChanges | null;
}

/** How many changed files a person is shown by name. */
const mostNamed = 50;

/**
 * The one judgement on what leaves a checkout, by the paths of its changes, from the top of the
 * repository.
 */
export function judgeChanges(changes: readonly TreeChange[], places: ObeyedPlaces): JudgedChanges {
  const kinds = changes.map(({ path }) => kindOfPath(path, places));
  const state = changes.filter((_, index) => kinds[index] === 'state');
  const rules = changes.filter((_, index) => kinds[index] === 'rule');
  return { state, rules: rules.length === 0 ? null : ruleChanges(rules) };
}

function ruleChanges(rules: readonly TreeChange[]): RuleChanges {
  const lines = rules.map(({ mode, object, path }) => `${mode} ${object} ${path}\0`).toSorted();
  const paths = rules.map(({ path }) => path);
  return {
    paths: paths.slice(0, mostNamed),
    more: Math.max(0, paths.length - mostNamed),
    digest: createHash('sha256').update(lines.join('')).digest('hex'),
  };
}
