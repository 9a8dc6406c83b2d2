import { stringify } from 'yaml';
import type { JsonObject } from '../../../kernel/json.ts';
import type { BranchRule } from '../../../workflow/git-work.ts';
import type { Workflow } from '../../../workflow/model.ts';
import { writeRuns } from '../run-limit.ts';
import { writeBody } from './body.ts';
import { templateTexts } from './expression.ts';
import { duration, types, withoutNothing } from './parts.ts';
import { writeHooks, writeTriggers } from './starts.ts';

/** A year: practically no limit. */
const veryLong = 365 * 86_400_000;

/**
 * A workflow of any language as an equivalent file of the native language. Comments at its top list
 * the parts that have no exact counterpart.
 */
export function writeNative(workflow: Workflow): string {
  const notes: string[] = [];
  if (workflow.ownWorkspace !== null) {
    notes.push(`Run it with \`--workspace ${workflow.ownWorkspace.workspace}\`, from the folder above that.`);
    notes.push(`There are no files in \`${workflow.ownWorkspace.records}\`: \`mailroom show\` shows runs.`);
    notes.push('Paths must not lead out of the workspace.');
  }
  if (workflow.timeout === null) notes.push('The original has no timeout of the whole run.');
  if (workflow.display !== undefined)
    notes.push(
      `There is no \`${workflow.display.record}\`, and plans are those of any workflow.`,
      'What agents, modules, memories and overrides said then is part of it: it does not change with them.',
    );
  if (workflow.byEvents)
    notes.push(
      'Its runs publish no events, and no request by an event starts one.',
      'A key in its expressions is found whatever its case, where there is none of that case.',
    );
  if (workflow.contextDir === null) notes.push('The results of steps are shown in `context/`.');
  const body = writeBody(workflow.body, (step, text) => notes.push(`Step \`${step}\`: ${text}.`));
  const document = { ...head(workflow), ...body };
  const comments = [`Converted from ${workflow.language}.`, ...notes].map((text) => `# ${text}\n`).join('');
  return `${comments}${stringify(document, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}

function head(workflow: Workflow): JsonObject {
  const { description, timeout, concurrency, contextDir, parameters, context, env, inherit, secrets } =
    workflow;
  const unless = <T extends JsonObject | readonly string[]>(empty: boolean, value: T): T | null =>
    empty ? null : value;
  const budget = withoutNothing({ ...workflow.budget });
  return withoutNothing({
    name: workflow.name,
    version: '1',
    description,
    timeout: duration(timeout ?? veryLong),
    concurrency,
    context_dir: workflow.contextYields ? null : contextDir,
    runs: writeRuns(workflow.runs),
    parameters: types(parameters),
    context: templateTexts(context),
    env: templateTexts(env),
    inherit: unless(inherit.length === 0, [...inherit]),
    secrets: unless(secrets.length === 0, [...secrets]),
    budget: unless(Object.keys(budget).length === 0, budget),
    branch: workflow.branch ? writeBranch(workflow.branch) : null,
    triggers: writeTriggers(workflow.triggers),
    hooks: writeHooks(workflow.hooks),
  });
}

function writeBranch({ expected, forbidden, after }: BranchRule): JsonObject {
  const globs = (all: readonly string[]) => (all.length === 0 ? null : [...all]);
  return withoutNothing({ expected: globs(expected), protected: globs(forbidden), after });
}
