import type { Template } from '../../expressions/template.ts';
import { defaultTimeout } from '../../kernel/duration.ts';
import { usualChoices } from '../../workflow/reserved.ts';
import type { FailurePolicy, Input, Need, Output, Retry, Step, Work } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import { lowerCheck } from './check.ts';
import { lowerCheckout } from './checkouts.ts';
import { isChosen, lowerChoice, lowerNamedAgent, withAgent } from './chosen.ts';
import { kindOf, type Kind } from './kinds.ts';
import type { Lowering } from './lowering.ts';
import { lowerChild, lowerForEach, lowerWhile } from './nested.ts';
import {
  checkGuarded,
  checkInside,
  checkTemplateInside,
  checkWorkspace,
  warnOfFile,
  warnOfGlob,
} from './paths.ts';
import { lowerNext, lowerRoute } from './sequence.ts';
import type { InputInput, OutputInput, StepInput } from './step-schema.ts';
import { lowerContext, lowerEnv, lowerValues } from './values.ts';
import { lowerSummary, lowerTakes } from './prompt-inputs.ts';
import { lowerAgent, lowerCommand, lowerWorker, stallOf } from './work.ts';

/** The steps of a body. Reads the remaining keys even of a step without valid work. */
export function lowerSteps(
  steps: Readonly<Record<string, StepInput>>,
  path: Path,
  lowering: Lowering,
): Step[] {
  return Object.entries(steps).map(([id, step]) => lowerStep(id, step, [...path, id], lowering));
}

/** Placeholder for the work of a step that could not be determined. */
const nothing: Work = { kind: 'assign', values: {} };

function lowerStep(id: string, own: StepInput, path: Path, lowering: Lowering): Step {
  const { diagnostics, language } = lowering;
  const kind = kindOf(diagnostics, own, path);
  const input = withAgent(own, path, lowering);
  const known = kind === null ? null : lowerWork(kind, own, input, path, lowering);
  if (known === null) diagnostics.unclear.add(id);
  const work = known ?? nothing;
  checkGuarded(diagnostics, input, path, lowering.isolated);
  if (input.join !== undefined && (input.depends_on ?? []).length === 0 && input.merge === undefined)
    diagnostics.warn([...path, 'join'], '`join` does nothing without `depends_on`');
  const step: Step = {
    id,
    description: input.description ?? null,
    needs: lowerNeeds(input.depends_on, [...path, 'depends_on'], lowering),
    join: input.join ?? 'all',
    when: lowerWhen(input.when, [...path, 'when'], lowering),
    work,
    workspace: lowerWorkspace(input.workspace, [...path, 'workspace'], lowering),
    ...lowerCheckout(input, path, lowering),
    ...(input.on !== undefined && {
      on: diagnostics.from([...path, 'on'], { labels: input.on === 'workers' ? [] : [...input.on.labels] }),
    }),
    env: lowerEnv(diagnostics, input.env, [...path, 'env'], language),
    secrets: input.secrets ?? null,
    stdin: lowerStream(input.stdin, [...path, 'stdin'], lowering),
    stdout: lowerStdout(input.stdout, [...path, 'stdout'], lowering),
    inputs: (input.inputs ?? []).map((each, index) =>
      lowerInput(diagnostics, each, [...path, 'inputs', index]),
    ),
    outputs: (input.outputs ?? []).map((each, index) =>
      lowerOutput(lowering, each, [...path, 'outputs', index]),
    ),
    values: lowerValues(diagnostics, input.values, [...path, 'values']),
    timeout: input.timeout ?? lowering.timeout ?? (work.kind === 'agent' ? defaultTimeout : null),
    grace: input.grace ?? null,
    ...lowerStall(diagnostics, input, path),
    retry: lowerRetry(diagnostics, input, path, work),
    onFailure: policyOf(input, path, lowering),
    ...(input.network === false && { network: false }),
    ...(known && lowerTakes(input, work, path, lowering)),
    check: (known && lowerSummary(input, work, path, lowering)) ?? lowerCheck(input, path, lowering),
    budget: input.budget ?? null,
    next: lowerNext(diagnostics, input.next, [...path, 'next'], language),
  };
  return diagnostics.from(path, { ...step, ...lowerChoice(input, step, path, lowering) });
}

function lowerWork(
  kind: Kind,
  own: StepInput,
  input: StepInput,
  path: Path,
  lowering: Lowering,
): Work | null {
  const { diagnostics, language } = lowering;
  switch (kind) {
    case 'worker':
      return lowerWorker(diagnostics, { ...input, worker: input.worker! }, path, language);
    case 'provider':
      return diagnostics.from(path, lowerAgent(diagnostics, input.provider!, input, path, language));
    case 'agent':
      return lowerNamedAgent(own, input, path, lowering);
    case 'command':
      return lowerCommand(diagnostics, { ...input, command: input.command! }, path, language);
    case 'role': {
      const instructions = diagnostics.template(
        [...path, 'instructions'],
        input.instructions ?? '',
        language,
      );
      const [role = '', ...others] = [input.role!].flat();
      return diagnostics.from(path, { kind, role, others, instructions });
    }
    case 'gate': {
      const { message, approvers = [], choices = usualChoices, fields, ...rest } = input.gate!;
      const { timeout = null, on_timeout: onTimeout = 'abort' } = rest;
      const at = [...path, 'gate'];
      const text = diagnostics.template([...at, 'message'], message, language);
      const types = lowerValues(diagnostics, fields, [...at, 'fields']);
      const asked = {
        message: text,
        approvers,
        choices: diagnostics.from([...at, 'choices'], [...choices]),
        fields: diagnostics.from([...at, 'fields'], types),
      };
      return diagnostics.from(at, { kind, ...asked, timeout, onTimeout });
    }
    case 'for_each':
      return lowerForEach(input.for_each!, [...path, 'for_each'], lowering);
    case 'while':
      return lowerWhile(input.while!, [...path, 'while'], lowering);
    case 'set':
      return { kind: 'assign', values: lowerContext(diagnostics, input.set, [...path, 'set'], language) };
    case 'route':
      return lowerRoute(diagnostics, input.route!, [...path, 'route'], language);
    case 'fail':
      return { kind, message: diagnostics.template([...path, 'fail'], input.fail!, language) };
    case 'workflow':
      return lowerChild(input, path, lowering);
    case 'merge':
      return { kind };
    case 'land': {
      const land = typeof input.land === 'string' ? { branch: input.land } : input.land!;
      return diagnostics.from([...path, 'land'], { kind, branch: land.branch, by: land.by ?? 'merge' });
    }
  }
}

function lowerNeeds(
  needs: StepInput['depends_on'],
  path: Path,
  { diagnostics, language }: Lowering,
): readonly Need[] {
  const lowered = (needs ?? []).map((need, index): Need => {
    if (typeof need === 'string') return { step: need, when: null };
    const { step, when } = need;
    const at = [...path, index, 'when'];
    return { step, when: when === undefined ? null : diagnostics.expression(at, when, language) };
  });
  return diagnostics.from(path, lowered);
}

function lowerWhen(when: StepInput['when'], path: Path, { diagnostics, language }: Lowering): Step['when'] {
  if (when === undefined) return null;
  if (typeof when === 'string') return diagnostics.expression(path, when, language);
  return { kind: 'literal', value: when, span: { start: 0, end: 0 } };
}

function lowerWorkspace(
  text: StepInput['workspace'],
  path: Path,
  { diagnostics, language }: Lowering,
): Step['workspace'] {
  if (typeof text !== 'string') return null;
  const template = diagnostics.template(path, text, language);
  return { path: template, outside: checkWorkspace(diagnostics, path, template) };
}

/** A file of the workspace. */
function lowerStream(
  text: string | undefined,
  path: Path,
  { diagnostics, language }: Lowering,
): Template | null {
  if (text === undefined) return null;
  const template = diagnostics.template(path, text, language);
  checkTemplateInside(diagnostics, path, template);
  return template;
}

function lowerStdout(text: string | undefined, path: Path, lowering: Lowering): Step['stdout'] {
  const template = lowerStream(text, path, lowering);
  return template && { folder: '', path: template };
}

function lowerInput(diagnostics: Diagnostics, input: InputInput, path: Path): Input {
  const { from, artifact, as = artifact, required = false } = input;
  if (input.as !== undefined) {
    checkInside(diagnostics, [...path, 'as'], as);
    warnOfFile(diagnostics, [...path, 'as'], as);
  }
  return diagnostics.from(path, { from, artifact, as, required });
}

function lowerOutput({ diagnostics, language }: Lowering, input: OutputInput, path: Path): Output {
  const template = diagnostics.template([...path, 'path'], input.path, language);
  checkTemplateInside(diagnostics, [...path, 'path'], template);
  warnOfGlob(diagnostics, [...path, 'path'], template);
  const { name, type = null, required = false } = input;
  return diagnostics.from(path, { name, path: template, type, required });
}

/** What a failure leads to when no retry is left or configured. */
function policyOf(input: StepInput, path: Path, { diagnostics, language }: Lowering): FailurePolicy {
  const { on_failure: policy = 'abort', on_retries_exhausted: last = 'abort' } = input;
  const key = policy === 'retry' && last !== 'abort' ? 'on_retries_exhausted' : 'on_failure';
  const meant = key === 'on_failure' ? policy : last;
  if (input.gate !== undefined && policy !== 'abort' && policy !== 'rollback')
    diagnostics.error(
      'E_WORKFLOW',
      [...path, key],
      `\`on_failure: ${policy}\` does nothing for a gate`,
      'a rejected gate skips its dependents, and `on_timeout` applies without an answer; `rollback` applies when that ends the run',
    );
  if (meant === 'rollback' && language.namespaces.includes('loop'))
    diagnostics.error(
      'E_WORKFLOW',
      [...path, key],
      'a step of a loop cannot roll back: a run is put back as a whole',
      'say it of the loop',
    );
  return meant === 'skip_dependents' ? 'skip-dependents' : meant;
}

/** When a silent worker is ended; reports a policy that does nothing. */
function lowerStall(diagnostics: Diagnostics, input: StepInput, path: Path): Pick<Step, 'stall'> {
  const { idle_timeout: after, on_stall: policy, on_failure: failure = 'abort' } = input;
  const at = [...path, 'on_stall'];
  // An agent that an expression chooses may have an `idle_timeout`.
  if (after === undefined && policy !== undefined && !isChosen(input))
    diagnostics.warn(at, '`on_stall` does nothing without an `idle_timeout`');
  if (policy === 'retry' && failure !== 'retry')
    diagnostics.warn(
      at,
      `\`on_stall: retry\` allows no further attempt unless \`on_failure\` is retry; it is ${failure}`,
    );
  return stallOf(input);
}

function lowerRetry(diagnostics: Diagnostics, input: StepInput, path: Path, work: Work): Retry {
  const { on_failure: policy = 'abort', max_retries: max = 0, retry = {} } = input;
  if (policy === 'retry') {
    if (input.max_retries === undefined)
      diagnostics.warn(
        [...path, 'on_failure'],
        '`on_failure: retry` allows no further attempt without `max_retries`',
        'write how many, such as `max_retries: 2`',
      );
  } else
    for (const key of ['max_retries', 'retry', 'on_retries_exhausted'] as const)
      if (input[key] !== undefined && input[key] !== 0)
        diagnostics.warn(
          [...path, key],
          `\`${key}\` does nothing unless \`on_failure\` is retry; it is ${policy}`,
        );
  const isQuick = work.kind === 'script' || work.kind === 'command';
  return {
    // Each of its conflicts is an attempt of its worker.
    max: Math.max(policy === 'retry' ? max : 0, work.kind === 'merge' ? 0 : (input.merge?.length ?? 1) - 1),
    base: retry.base ?? (isQuick ? 100 : 1_000),
    factor: retry.factor ?? 2,
    cap: retry.cap ?? 30_000,
    jitter: retry.jitter ?? true,
    codes: retry.codes ?? null,
    ...(retry.never === undefined ? {} : { never: retry.never }),
    ...(retry.missing_outputs === true ? { missingOutputs: true } : {}),
  };
}
