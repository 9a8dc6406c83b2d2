import type { Json, JsonObject } from '../../../kernel/json.ts';
import { usualChoices } from '../../../workflow/reserved.ts';
import type { Body, ForEach, Need, Next, Retry, Step, Target, Work } from '../../../workflow/model.ts';
import { bodyOf } from '../../../workflow/bodies.ts';
import { summaryOf, writeAgent, writeCheck, writeTakes } from './agents.ts';
import { expressionText, itemsText, scriptText, templateText, templateTexts } from './expression.ts';
import { duration, types, withoutNothing } from './parts.ts';

/** Records a part that has no exact counterpart. */
type Note = (step: string, text: string) => void;

/** The steps of a body under its keys: `steps`, and the keys for their order. */
export function writeBody(body: Body, note: Note): JsonObject {
  const steps = Object.fromEntries(body.steps.map((step) => [step.id, writeStep(step, body, note)]));
  return body.kind === 'graph' ? { steps } : { flow: 'sequence', max_visits: body.maxVisits, steps };
}

function writeStep(step: Step, body: Body, note: Note): JsonObject {
  const { when, grace, budget, workspace, secrets, stdin, stdout } = step;
  return withoutNothing({
    description: step.description,
    ...writeWork(step, note),
    depends_on: step.needs.length === 0 ? null : step.needs.map(writeNeed),
    join: step.join === 'all' || step.needs.length === 0 ? null : step.join,
    when: when === null ? null : `\${{ ${expressionText(when)} }}`,
    workspace: workspace && templateText(workspace.path),
    ...writeCheckout(step),
    ...writeOn(step),
    network: step.network ?? null,
    env: templateTexts(step.env),
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
    timeout: timeoutOf(step),
    ...writeCheck(step),
    grace: grace === null || !isProgram(step.work) ? null : duration(grace),
    ...(step.stall && { idle_timeout: duration(step.stall.after), on_stall: step.stall.policy }),
    ...policyOf(step),
    budget: budget && withoutNothing({ ...budget }),
    next: body.kind === 'sequence' && step.next !== null ? writeNext(step.next) : null,
  });
}

function writeOn({ on }: Step): JsonObject {
  if (on === undefined) return {};
  return { on: on.labels.length === 0 ? 'workers' : { labels: [...on.labels] } };
}

/** The steps of an item have its git worktree without saying so. */
function writeCheckout({ checkout, work }: Step): JsonObject {
  if (checkout === undefined || checkout.per === 'item') return {};
  if (checkout.merges === null) return { workspace: { worktree: 'step' } };
  return { merge: [...checkout.merges], ...(work.kind !== 'merge' && { on_conflict: 'resolve' }) };
}

function writeNeed({ step, when }: Need): Json {
  return when === null ? step : { step, when: `\${{ ${expressionText(when)} }}` };
}

function isProgram({ kind }: Work): boolean {
  return kind === 'command' || kind === 'script' || kind === 'agent';
}

function timeoutOf({ timeout, work }: Step): string | null {
  return timeout === null || work.kind === 'gate' ? null : duration(timeout);
}

/** What a failure leads to, and the number of retries before. */
function policyOf({ onFailure, retry, work }: Step): JsonObject {
  const policy = onFailure === 'skip-dependents' ? 'skip_dependents' : onFailure;
  const { max, base, factor, cap, jitter, codes, never = [], missingOutputs = false }: Retry = retry;
  const isTried = max > 0 || policy === 'retry' || never.length > 0;
  if (work.kind === 'gate') return policy === 'rollback' ? { on_failure: policy } : {};
  if (!isTried || bodyOf(work) !== null) return policy === 'abort' ? {} : { on_failure: policy };
  const pauses = { base: duration(base), factor, cap: duration(cap), jitter };
  const bounds = withoutNothing({
    codes: codes && [...codes],
    never: never.length === 0 ? null : [...never],
    missing_outputs: missingOutputs || null,
  });
  const last = policy === 'retry' || policy === 'abort' ? {} : { on_retries_exhausted: policy };
  return { on_failure: 'retry', max_retries: max, retry: { ...pauses, ...bounds }, ...last };
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
      const promptKeys = { takes: writeTakes(step.promptInputs), summary: summaryOf(step.check) };
      return withoutNothing({ ...writeAgent(work, step.choice?.name), ...promptKeys });
    }
    case 'script':
      return {
        worker: 'CUSTOM',
        instructions: scriptText(work.script),
        capabilities: [...work.capabilities],
      };
    case 'merge':
      return {};
    case 'land':
      return { land: work.by === 'merge' ? work.branch : { branch: work.branch, by: work.by } };
    case 'role':
      return {
        role: work.others.length === 0 ? work.role : [work.role, ...work.others],
        instructions: templateText(work.instructions),
      };
    case 'gate': {
      const { approvers, choices, fields, timeout, onTimeout } = work;
      const gate = { message: templateText(work.message), on_timeout: onTimeout };
      const limits = {
        approvers: approvers.length === 0 ? null : [...approvers],
        choices: choices.join() === usualChoices.join() ? null : [...choices],
        fields: types(fields),
        timeout: timeout && duration(timeout),
      };
      return { gate: withoutNothing({ ...gate, ...limits }) };
    }
    case 'for-each':
      return { for_each: writeForEach(work, note) };
    case 'while': {
      const condition = `\${{ ${expressionText(work.condition)} }}`;
      return { while: { condition, max_iterations: work.maxIterations, ...writeBody(work.body, note) } };
    }
    case 'assign':
      return { set: templateTexts(work.values) ?? {} };
    case 'workflow':
      note(step.id, `put the sub-workflow \`${work.workflow.name}\` into that file`);
      return withoutNothing({
        workflow: `./${work.workflow.name}.yaml`,
        with: templateTexts(work.with),
        exports: work.exports.length === 0 ? null : work.exports.map((each) => ({ ...each })),
      });
  }
}

function writeForEach({ items, as, concurrency, gives, isolated, body }: ForEach, note: Note): JsonObject {
  const isolation = isolated === true ? 'worktree' : null;
  const settings = withoutNothing({ as, concurrency, gives, isolation });
  return { items: itemsText(items), ...settings, ...writeBody(body, note) };
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
