import { enumerate, counted } from '../../kernel/enumerate.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { checkoutOf, commitsBefore } from './commits.ts';
import { Evaluation, Unresolvable, refuseAbsent, type ResolveFailure } from './evaluation.ts';
import type { StepPath, ProcessKey } from './event.ts';
import { isIn } from './fold/steps.ts';
import type { Launch, LaunchInput, LaunchWork, PromptValue, TakenCommit } from './launch.ts';
import type { Check, Step, Work } from '../model.ts';
import type { Rules } from './rules.ts';
import {
  contextOf,
  entered,
  findStep,
  isLoop,
  lookUpStep,
  makersIn,
  scopesOf,
  type StepVisit,
} from './scope.ts';
import type { RunState, StepRun } from './state.ts';
import { misfit } from './values.ts';
import type { Budget } from '../../kernel/cost.ts';
import { codeSpan, fenced } from '../../kernel/quoting.ts';

export type Resolved<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: ResolveFailure };

/** The result of `act`, or the failure of an `Unresolvable` that it throws. */
export function attempt<T>(act: () => T): Resolved<T> {
  try {
    return { ok: true, value: act() };
  } catch (error) {
    if (error instanceof Unresolvable) return { ok: false, why: error.why };
    throw error;
  }
}

/**
 * The evaluator of a step's expressions, which also see its environment and that of its workflow.
 */
export function evaluationOf(state: RunState, rules: Rules, { scope, rule }: StepVisit): Evaluation {
  const alone = state.given?.only != null && rule.body === rules.root;
  // Without an expression nothing reads what they see.
  if (!rule.dynamic) return new Evaluation({}, rule.body.language, alone);
  const context = contextOf(state, rules, scope, rule);
  const plain = new Evaluation(context, rule.body.language, alone);
  const given = state.given?.env ?? {};
  const ofWorkflow = { ...given, ...plain.renderAll(rule.body.workflow.env) };
  const inWorkflow = plain.with({ env: ofWorkflow });
  return inWorkflow.with({ env: { ...ofWorkflow, ...inWorkflow.renderAll(rule.step.env) } });
}

/**
 * The launch of a process. Throws `E_INTERNAL` for one that is not wanted: `decide` names only
 * those that can be resolved.
 */
export function launchOf(state: RunState, rules: Rules, key: ProcessKey): Launch {
  const found = findStep(state, rules, key.path);
  if (!found) throw new MailroomError('E_INTERNAL', `no step ${key.path} is running`);
  const resolved = tryLaunch(state, rules, found, key);
  if (resolved.ok) return resolved.value;
  throw new MailroomError('E_INTERNAL', `the step ${key.path} cannot be worked out any more`);
}

/** A step with the agent that its expression chooses. An unknown name makes it unresolvable. */
function withChosen(step: Step, evaluation: Evaluation): Step {
  if (step.choice === undefined) return step;
  const { choice, ...rest } = step;
  const name = evaluation.required.renderText(choice.name);
  if (!Object.hasOwn(choice.agents, name)) {
    const known = Object.keys(choice.agents);
    const text = `no agent is called \`${name}\`; there ${known.length === 1 ? 'is' : 'are'} ${enumerate(known)}`;
    throw new Unresolvable({ is: 'failed', reason: { code: 'E_UNKNOWN_NAME', text } });
  }
  const { network, ...variant } = choice.agents[name]!;
  return { ...rest, ...variant, ...(network ? {} : { network }) };
}

/**
 * The provider and the budget of a step's worker. The choice of an agent is evaluated; provider
 * null: it has none.
 */
export function workerOf(
  state: RunState,
  rules: Rules,
  visit: StepVisit,
): Resolved<{ readonly provider: string | null; readonly budget: Budget | null }> {
  const { step, provider } = visit.rule;
  if (step.choice === undefined) return { ok: true, value: { provider, budget: step.budget } };
  return attempt(() => {
    const { work, budget } = withChosen(step, evaluationOf(state, rules, visit));
    return { provider: work.kind === 'agent' ? work.provider : null, budget };
  });
}

/** The agent of the configuration that a step has settings from; null: none, or not chosen yet. */
export function profileOf(state: RunState, rules: Rules, visit: StepVisit): string | null {
  const { step } = visit.rule;
  const chosen = attempt(() =>
    step.choice === undefined ? step : withChosen(step, evaluationOf(state, rules, visit)),
  );
  return chosen.ok && chosen.value.work.kind === 'agent' ? (chosen.value.work.profile?.name ?? null) : null;
}

/** The launch of a worker or a check, or why there is none. */
export function tryLaunch(
  state: RunState,
  rules: Rules,
  found: StepVisit,
  key: ProcessKey,
): Resolved<Launch> {
  return attempt(() => resolve(state, rules, found, key));
}

function resolve(state: RunState, rules: Rules, found: StepVisit, key: ProcessKey): Launch {
  const { scope, rule, path } = found;
  const { body } = rule;
  const run = state.steps.get(path);
  const checking = key.check > 0 ? rule.step.check : null;
  const evaluation = evaluationOf(state, rules, found);
  const step = withChosen(rule.step, evaluation);
  const { convergence } = step.check ?? { convergence: null };
  const worker = {
    inputs: inputsOf(state, rules, found),
    outputs: step.outputs.map((each) => ({ ...each, path: evaluation.required.renderText(each.path) })),
    values: step.values,
    timeout: step.timeout,
    stall: step.stall ?? null,
    check: null,
    promptInputs: takenBy(state, rules, found, evaluation),
    stdin: step.stdin && evaluation.required.renderText(step.stdin),
    ...(step.on && { on: step.on }),
    stdout: step.stdout && { ...step.stdout, path: evaluation.required.renderText(step.stdout.path) },
  };
  const check = checking && {
    inputs: [],
    outputs: [],
    values: {},
    timeout: checking.timeout,
    stdin: null,
    stdout: null,
    check: {
      id: isIn(run, 'checking') ? run.phase.id : '',
      decisionFile: checking.decisionFile,
      summary: checking.purpose === 'summary' ? { of: { ...run?.result?.values } } : null,
    },
    stall: null,
    promptInputs: [],
  };
  return {
    run: state.given?.run ?? '',
    key,
    step: step.id,
    work: workOf(checking?.work ?? step.work, step.check, run, evaluation, () =>
      commitsBefore(state, rules, found),
    ),
    workspace:
      step.workspace === null
        ? null
        : { path: evaluation.required.renderText(step.workspace.path), outside: step.workspace.outside },
    ...checkoutOf(state, rules, found),
    env: environment(body.workflow.env, { ...step.env, ...checking?.env }, evaluation),
    secrets: step.secrets ?? [...new Set([...body.workflow.secrets, ...rules.workflow.secrets])],
    inherit: body.workflow.inherit,
    network: (checking?.network ?? step.network) !== false,
    grace: step.grace,
    ...(check ?? worker),
    budget: budgetOf(state, checking ? checking.budget : step.budget, scope.budget),
    session: checking?.purpose === 'summary' ? (run?.result?.session ?? null) : null,
    convergence: convergence && { ...convergence, stage: run?.convergence.stage ?? 1 },
  };
}

/**
 * The variables that the definition names; those that expressions see as `env` are not passed on.
 */
function environment(
  ofWorkflow: StepVisit['rule']['step']['env'],
  ofStep: StepVisit['rule']['step']['env'],
  evaluation: Evaluation,
): Record<string, string> {
  return { ...evaluation.renderAll(ofWorkflow), ...evaluation.renderAll(ofStep) };
}

/** The remaining budget of the run limits that of a launch. */
function budgetOf(state: RunState, own: Budget | null, scope: Budget): Budget | null {
  const limits = [state.given?.budget ?? scope, scope];
  const least = (key: 'usd' | 'tokens'): number | null => {
    const left = limits.flatMap((limit) =>
      limit[key] === null ? [] : [Math.max(0, limit[key] - state.cost[key])],
    );
    const all = [...left, ...(own?.[key] == null ? [] : [own[key]])];
    return all.length === 0 ? null : Math.min(...all);
  };
  const budget = { usd: least('usd'), tokens: least('tokens') };
  return budget.usd === null && budget.tokens === null ? null : budget;
}

function workOf(
  work: Work,
  check: Check | null,
  run: StepRun | undefined,
  evaluation: Evaluation,
  takes: () => readonly TakenCommit[],
): LaunchWork {
  switch (work.kind) {
    case 'agent': {
      const { instructions: _template, profile: _profile, ...agent } = work;
      const isWorker = work !== check?.work;
      const own = isWorker ? (run?.instructions ?? null) : null;
      const instructions = own ?? evaluation.renderText(work.instructions);
      const left = isWorker && run ? leftToDo(run, check) : null;
      return { ...agent, instructions, leftToDo: left };
    }
    case 'script': {
      const entries = Object.entries(work.script.variables);
      const env = Object.fromEntries(entries.map(([name, tree]) => [name, evaluation.text(tree)]));
      const { capabilities } = work;
      return { kind: 'script', script: run?.instructions ?? work.script.text, env, capabilities };
    }
    case 'command':
      return {
        kind: 'command',
        argv: work.argv.map((argument) => evaluation.renderText(argument)),
        capabilities: work.capabilities,
      };
    case 'role': {
      const instructions = run?.instructions ?? evaluation.renderText(work.instructions);
      return { kind: 'role', role: run?.role ?? work.role, instructions, takes: onlyOf(takes()) };
    }
    case 'merge':
      return { kind: 'merge' };
    case 'land':
      return { ...work, takes: onlyOf(takes()), approved: run?.approvedRules ?? null };
    case 'gate':
    case 'for-each':
    case 'while':
    case 'assign':
    case 'route':
    case 'fail':
    case 'finally':
    case 'workflow':
      throw new MailroomError('E_INTERNAL', `a ${work.kind} has no process`);
  }
}

/** The only commit that a step takes; null: none. Several make it unresolvable. */
function onlyOf(takes: readonly TakenCommit[]): TakenCommit | null {
  const [only = null, ...others] = takes;
  if (others.length === 0) return only;
  const steps = takes.map(({ step }) => step);
  const text =
    `${enumerate(steps)} have each left a commit, and this step takes one: ` +
    `merge them first, by a step \`merge: [${steps.join(', ')}]\``;
  throw new Unresolvable({ is: 'failed', reason: { code: 'E_WORKFLOW', text } });
}

/** The values given to an agent. A value of the wrong type fails the step. */
function takenBy(
  state: RunState,
  rules: Rules,
  { rule, scope }: StepVisit,
  evaluation: Evaluation,
): PromptValue[] {
  return (rule.step.promptInputs ?? []).flatMap(
    ({ name, description, source, type, required, log }): PromptValue[] => {
      if (log !== undefined) {
        const found = lookUpStep(state, rules, scope, log);
        if (found?.run?.result?.outcome.is !== 'done') return [];
        const { path, iteration, attempt: count } = found.run;
        const { work: its } = found.rule.step;
        const provider = its.kind === 'agent' ? its.provider : null;
        const key = { path, iteration, attempt: count, check: 0 };
        return [{ name, description, value: '', log: { key, provider } }];
      }
      const value = evaluation.render(source);
      if (value === null && !required) return [];
      if (value === null) refuseAbsent(`it requires the input \`${name}\`, which is absent`);
      const problem = type === null ? null : misfit(value, type);
      if (problem === null) return [{ name, description, value, log: null }];
      const reason = { code: 'E_VALUE', text: `the input \`${name}\` ${problem}` } as const;
      throw new Unresolvable({ is: 'failed', reason });
    },
  );
}

/** The existing inputs. A required one that is absent makes the step unresolvable. */
function inputsOf(state: RunState, rules: Rules, { scope, rule }: StepVisit): LaunchInput[] {
  return rule.step.inputs.flatMap((input) => {
    const found = inputsFrom(state, rules, entered(state, scope, input.from), input);
    if (found.length > 0 || !input.required) return found;
    return refuseAbsent(
      `it requires the artifact \`${input.artifact}\` of \`${input.from}\`, which is absent`,
    );
  });
}

/** What a step made as an artifact; of a loop what each iteration made last, by its index. */
function inputsFrom(
  state: RunState,
  rules: Rules,
  source: StepRun | undefined,
  input: LaunchInput,
): LaunchInput[] {
  if (!isIn(source, 'settled')) return [];
  if (!isLoop(source))
    return source.artifacts.some(({ name }) => name === input.artifact)
      ? [{ ...input, from: source.path }]
      : [];
  return scopesOf(source).flatMap((path, index) => {
    const within = { ...input, as: `${input.as}/${String(index)}` };
    const found = makersIn(state, rules, path).map((maker) => inputsFrom(state, rules, maker, within));
    return found.findLast((each) => each.length > 0) ?? [];
  });
}

/** The key of a step's current process; null: it has none. */
export function keyOf(run: StepRun): ProcessKey | null {
  const { path, iteration, attempt: count, checks } = run;
  if (run.phase.is === 'running') return { path, iteration, attempt: count, check: 0 };
  return run.phase.is === 'checking' ? { path, iteration, attempt: count, check: checks } : null;
}

/** The key of the worker's next launch. */
export function nextKey(run: StepRun | undefined, path: StepPath): ProcessKey {
  return { path, iteration: run?.iteration ?? 1, attempt: (run?.attempt ?? 0) + 1, check: 0 };
}

/**
 * What earlier iterations left to do, for the worker; null: this is the first. Quotes from others
 * are fenced.
 */
export function leftToDo(run: StepRun, check: Check | null): string | null {
  const parts = [...incomplete(run, check), ...failed(run)];
  return parts.length === 0 ? null : parts.join('\n\n');
}

function incomplete({ iteration, outstanding, convergence }: StepRun, check: Check | null): string[] {
  if (iteration === 1 || outstanding === null) return [];
  const { reasons, fingerprints, log } = outstanding;
  const most = check === null ? '' : ` of at most ${String(check.maxIterations)}`;
  const lines = [`This is iteration ${String(iteration)}${most}. The last check found the work incomplete.`];
  if (reasons.length > 0 && log !== null)
    lines.push(`What it printed (all of it is in ${codeSpan(log)}):\n\n${fenced(reasons.join('\n'))}`);
  else if (reasons.length > 0) lines.push(`What it said:\n\n${list(reasons)}`);
  const settings = check?.convergence ?? null;
  if (settings === null || convergence.stage < 2) return lines;
  lines.push(
    `The work does not come nearer to complete: this is stage ${String(convergence.stage)} of ${String(settings.maxStage)}.`,
  );
  if (fingerprints.length > 0) lines.push(`Still outstanding:\n\n${list(fingerprints)}`);
  if (settings.allowedPaths.length > 0)
    lines.push(`Change nothing but these paths:\n\n${list(settings.allowedPaths)}`);
  if (settings.maxChangedFiles !== null)
    lines.push(`Change at most ${counted(settings.maxChangedFiles, 'file')} altogether.`);
  for (const { stage, instructions } of settings.stages)
    if (stage <= convergence.stage) lines.push(instructions.trim());
  return lines;
}

function failed({ failures, result }: StepRun): string[] {
  if (failures === 0 || result === null || result.outcome.is === 'done') return [];
  return [
    `The last attempt failed:\n\n${list([result.outcome.reason.text])}`,
    'What it changed is still there; look before you do it again.',
  ];
}

function list(lines: readonly string[]): string {
  return fenced(lines.map((line) => `- ${line.trim()}`).join('\n'));
}
