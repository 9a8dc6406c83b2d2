import type { Json, JsonObject } from '../../../../core/json.ts';
import type { Body, Next, Retry, Step, Target, ValueType, Work } from '../../../../core/workflow/model.ts';
import { isTree } from '../../../../core/workflow/rules.ts';
import { providers } from '../work.ts';
import { expressionText, templateText } from './expression.ts';

/** Takes down what has no exact counterpart. */
export type Note = (step: string, text: string) => void;

/** The steps of a body under its keys: `steps`, and how they follow each other. */
export function writeBody(body: Body, note: Note): JsonObject {
  const steps = Object.fromEntries(body.steps.map((step) => [step.id, writeStep(step, body, note)]));
  return body.kind === 'graph' ? { steps } : { flow: 'sequence', max_visits: body.maxVisits, steps };
}

function writeStep(step: Step, body: Body, note: Note): JsonObject {
  const { when, timeout, grace, budget, workspace, secrets, stdin, stdout } = step;
  if (step.join === 'any' || step.needs.some((need) => need.when !== null))
    note(step.id, 'conditions of single dependencies are left out: write them under `when`');
  if (step.check !== null) note(step.id, 'its completion check is left out');
  return withoutNothing({
    description: step.description,
    ...writeWork(step, note),
    depends_on: step.needs.length === 0 ? null : step.needs.map((need) => need.step),
    when: when === null ? null : `\${{ ${expressionText(when)} }}`,
    workspace: workspace && templateText(workspace.path),
    env: texts({ ...variablesOf(step.work), ...step.env }),
    secrets: secrets && [...secrets],
    stdin: stdin && pathText(templateText(stdin), step.id, note),
    stdout: stdout && [stdout.folder, templateText(stdout.path)].filter((part) => part !== '').join('/'),
    inputs: step.inputs.length === 0 ? null : step.inputs.map((input) => ({ ...input })),
    outputs:
      step.outputs.length === 0
        ? null
        : step.outputs.map(({ path, type, ...output }) =>
            withoutNothing({ ...output, path: templateText(path), type }),
          ),
    values: types(step.values),
    timeout: timeout === null || step.work.kind === 'gate' ? null : duration(timeout),
    grace: grace === null || !isProgram(step.work) ? null : duration(grace),
    on_failure: policyOf(step, note),
    ...retryOf(step),
    budget: budget && withoutNothing({ ...budget }),
    next: body.kind === 'sequence' && step.next !== null ? writeNext(step.next) : null,
  });
}

/** What the expressions of a script say reaches it by its environment, there too. */
function variablesOf(work: Work): Step['env'] {
  if (work.kind !== 'script') return {};
  const entries = Object.entries(work.script.variables);
  return Object.fromEntries(entries.map(([name, tree]) => [name, [{ kind: 'expression', tree } as const]]));
}

function isProgram({ kind }: Work): boolean {
  return kind === 'command' || kind === 'script' || kind === 'agent';
}

function policyOf({ onFailure, id }: Step, note: Note): string | null {
  if (onFailure === 'skip-dependents')
    note(id, 'after a failure the run ends: there, only its dependents are skipped');
  return onFailure === 'abort' || onFailure === 'skip-dependents' ? null : onFailure;
}

function retryOf({ retry, onFailure }: Step): JsonObject {
  if (onFailure !== 'retry') return {};
  const { max, base, factor, cap, jitter, codes }: Retry = retry;
  const pauses = { base: duration(base), factor, cap: duration(cap), jitter };
  return { max_retries: max, retry: { ...pauses, ...(codes && { codes: [...codes] }) } };
}

function writeWork(step: Step, note: Note): JsonObject {
  const { work } = step;
  switch (work.kind) {
    case 'command':
      return {
        command: work.argv.map(templateText),
        ...(work.capabilities && { capabilities: [...work.capabilities] }),
      };
    case 'agent': {
      const worker = Object.entries(providers).find(([, name]) => name === work.provider)?.[0];
      if (worker === undefined)
        note(step.id, `the provider \`${work.provider}\` is no worker: a role may have it`);
      const { model, capabilities, maxSteps } = work;
      const instructions = templateText(work.instructions);
      const who = { worker: worker ?? 'CLAUDE_CODE', instructions, capabilities: [...capabilities] };
      return withoutNothing({ ...who, model, max_steps: maxSteps });
    }
    case 'script':
      return { worker: 'CUSTOM', instructions: work.script.text, capabilities: [...work.capabilities] };
    case 'role':
      return { role: work.role, instructions: templateText(work.instructions) };
    case 'gate': {
      const { approvers, timeout, onTimeout } = work;
      const gate = { message: templateText(work.message), on_timeout: onTimeout };
      const limits = {
        approvers: approvers.length === 0 ? null : [...approvers],
        timeout: timeout && duration(timeout),
      };
      return { gate: withoutNothing({ ...gate, ...limits }) };
    }
    case 'for-each': {
      const items = isTree(work.items) ? `\${{ ${expressionText(work.items)} }}` : [...work.items];
      return {
        for_each: { items, as: work.as, concurrency: work.concurrency, ...writeBody(work.body, note) },
      };
    }
    case 'while': {
      const condition = `\${{ ${expressionText(work.condition)} }}`;
      return { while: { condition, max_iterations: work.maxIterations, ...writeBody(work.body, note) } };
    }
    case 'assign':
      return { set: texts(work.values) ?? {} };
    case 'workflow':
      note(step.id, `put the sub-workflow \`${work.workflow.name}\` into that file`);
      return { workflow: `./${work.workflow.name}.yaml`, with: texts(work.with) ?? {} };
  }
}

function writeNext({ success, failure, timeout }: Next): JsonObject {
  const written = { success: writeTarget(success), failure: writeTarget(failure) };
  return timeout === null ? written : { ...written, timeout: writeTarget(timeout) };
}

function writeTarget(target: Target): Json {
  switch (target.to) {
    case 'step':
      return target.step;
    case 'end':
    case 'continue':
      return { end: 'round' };
    case 'break':
      return { end: 'loop' };
    case 'finish':
      return { end: 'run' };
    case 'error':
      return target.message === null ? { end: 'failed' } : { end: 'failed', message: target.message };
    case 'fail':
      return target.message === null
        ? { end: 'failed' }
        : { end: 'failed', message: templateText(target.message) };
  }
}

function pathText(path: string, step: string, note: Note): string {
  if (path.split('/').includes('..'))
    note(step, `\`${path}\` leads out of the workspace, which a native workflow refuses`);
  return path.replace(/^workspace\//, '');
}

function texts(templates: Readonly<Record<string, Step['env'][string]>>): JsonObject | null {
  const entries = Object.entries(templates).map(
    ([name, template]) => [name, templateText(template)] as const,
  );
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

/** Types of values and parameters, without what says nothing. */
export function types(all: Readonly<Record<string, ValueType>>): JsonObject | null {
  const entries = Object.entries(all).map(([name, type]) => [name, typeOf(type)] as const);
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

function typeOf({ items, enum: allowed, required, ...type }: ValueType): JsonObject {
  return withoutNothing({
    ...type,
    items: items && typeOf(items),
    enum: allowed && [...allowed],
    required: required || null,
  });
}

export function withoutNothing(map: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(map).filter(
      (entry): entry is [string, Json] => entry[1] !== null && entry[1] !== undefined,
    ),
  );
}

/** Milliseconds as a duration. */
export function duration(milliseconds: number): string {
  const units = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const;
  const fitting = units.find(([, size]) => milliseconds > 0 && milliseconds % size === 0);
  return fitting
    ? `${String(milliseconds / fitting[1])}${fitting[0]}`
    : `${String(Math.max(1, Math.round(milliseconds)))}ms`;
}
