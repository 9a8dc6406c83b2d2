import { withoutServers } from '../../kernel/mcp.ts';
import { strictHint } from '../../config/strict.ts';
import type { Tree } from '../../expressions/tree.ts';
import type { Agent } from '../agent.ts';
import { bodyOf, innerOf } from '../bodies.ts';
import { targetsOf } from '../flow.ts';
import type { Approval, Body, ForEach, Input, Step } from '../model.ts';
import { checkChild, typesOfTemplate } from './children.ts';
import { checkExpressions } from './expressions.ts';
import { findStep, jsonTypes, typesOfTree, valuesOfTree, type Here } from './meaning.ts';
import { checkGit, checkWorkers } from './git.ts';
import { givesText } from './gives.ts';
import { checkInputPresence, checkTakenPresence, checkValuePresence } from './presence.ts';
import { artifactsOf } from './references.ts';
import { artifactNameProblem, stepNameProblem, rejecting } from '../reserved.ts';
import { field, whole, type At, type CheckReport } from './report.ts';
import type { AgentBound } from '../../providers/provider.ts';
import { withArticle, enumerate } from '../../kernel/enumerate.ts';

/** Checks one step, apart from its dependencies and a loop's inner steps. */
export function checkStep(step: Step, here: Here): void {
  const { report } = here;
  checkName(report, whole(step), 'a step', stepNameProblem(step.id));
  checkExpressions(step, here);
  checkInputs(step, here);
  checkOutputs(step, report);
  checkGit(step, here);
  checkWorkers(step, here);
  checkLogs(step, here);
  checkTakenPresence(step, here);
  checkPromptInputTypes(step, here);
  checkNext(step, here);
  if (step.choice !== undefined) checkChoice(step, step.choice, here);
  else if (step.work.kind === 'agent') checkAgent(step, step, step.work, report);
  if (step.check?.work.kind === 'agent' && step.check.purpose !== 'summary')
    checkAgent(step, step.check, step.check.work, report);
  if (step.work.kind === 'role')
    for (const role of [step.work.role, ...(step.work.others ?? [])])
      if (role !== '') checkRole(role, field(step.work, 'role'), report);
  if (step.work.kind === 'gate') checkApproval(step, step.work, report);
  // The steps of a loop are checked themselves.
  const endless = here.over && bodyOf(step.work) === null ? endlessGate([step]) : null;
  if (endless !== null)
    report.add(
      'E_MISSING_KEY',
      'error',
      whole(step.work),
      `the gate \`${endless.id}\` would keep the run from ending`,
      'give it a `timeout`, and say by `on_timeout` what follows then',
    );
  if (step.work.kind === 'for-each') checkItems(step.work, here);
  if (step.work.kind === 'workflow') checkChild(step.work, here);
}

/**
 * A gate without a timeout among steps and what is inside them, each body looked at once; null:
 * none.
 */
function endlessGate(steps: readonly Step[], seen = new Set<Body>()): Step | null {
  for (const step of steps) {
    if (step.work.kind === 'gate' && step.work.timeout === null) return step;
    const inner = innerOf(step.work);
    if (inner === null || seen.has(inner)) continue;
    seen.add(inner);
    const found = endlessGate(inner.steps, seen);
    if (found !== null) return found;
  }
  return null;
}

function checkInputs(step: Step, here: Here): void {
  const { report } = here;
  const places = new Set<string>();
  for (const input of step.inputs) {
    if (places.has(input.as))
      report.add(
        'E_DUPLICATE',
        'warning',
        field(input, 'as'),
        `another input lies at \`${input.as}\`, too`,
        'give one another place: `as`',
      );
    places.add(input.as);
    checkInput(step, input, here);
  }
}

function checkInput(step: Step, input: Input, here: Here): void {
  const { report, place } = here;
  const found = findStep(input.from, here);
  if (found === null || found.graph.steps[found.target]!.id !== input.from) {
    if (report.context.broken.has(input.from)) return;
    const message = `no step is called \`${input.from}\``;
    const names = place?.graph.names() ?? [];
    return report.unknownStep(field(input, 'from'), message, input.from, names, here.over);
  }
  const owner = found.graph.steps[found.from]!.id;
  found.graph.ask(found.from, found.target, () => {
    if (report.context.broken.has(owner)) return;
    const message = `\`${step.id}\` takes an artifact of \`${input.from}\`, and \`${owner}\` does not depend on it`;
    report.error(field(input, 'from'), message, `name it under \`depends_on\` of \`${owner}\``);
  });
  const source = found.graph.steps[found.target]!;
  const artifacts = artifactsOf(source);
  if (report.context.broken.has(input.from)) return;
  if (artifacts.includes(input.artifact)) return checkInputPresence(input, source, found.graph, here);
  const message = `\`${input.from}\` has no artifact \`${input.artifact}\``;
  const gives = givesText(source, report.vocabulary);
  if (gives !== null && artifacts.length === 0)
    return report.add('E_UNKNOWN_NAME', 'error', field(input, 'artifact'), message, gives);
  report.unknown(field(input, 'artifact'), message, input.artifact, artifacts);
}

/** Checks that logs for an agent are those of steps that have ended. */
function checkLogs({ id, promptInputs = [] }: Step, here: Here): void {
  const { report, place } = here;
  for (const taken of promptInputs) {
    const { log } = taken;
    if (log === undefined || report.context.broken.has(log)) continue;
    const found = findStep(log, here);
    if (found === null) {
      const names = place?.graph.names() ?? [];
      report.unknownStep(field(taken, 'log'), `no step is called \`${log}\``, log, names, here.over);
      continue;
    }
    found.graph.ask(found.from, found.target, () =>
      report.error(
        field(taken, 'log'),
        `\`${log}\` does not come before \`${id}\``,
        `name it under \`depends_on\` of \`${id}\``,
      ),
    );
  }
}

/** A type that cannot fit is a warning here, and an error at run time. */
function checkPromptInputTypes({ promptInputs = [] }: Step, here: Here): void {
  for (const { name, type, source, log } of promptInputs) {
    const wanted = type === null || log !== undefined ? null : jsonTypes(type);
    const given = wanted === null ? null : typesOfTemplate(source, here);
    if (type === null || given === null || given.size === 0 || [...given].some((each) => wanted!.has(each)))
      continue;
    const types = [...given].map(withArticle).join(' or ');
    const message = `\`${name}\` is ${withArticle(type.type)}, and this is ${types}`;
    here.report.add('E_WORKFLOW', 'warning', whole(source), message, null);
  }
}

/** Checks that a sequence continues at steps of its own body. */
function checkNext(step: Step, { report, place }: Here): void {
  const { id } = step;
  const { step: word, hints } = report.vocabulary;
  for (const { target, in: where, key } of targetsOf(step)) {
    if (target.to !== 'step' || place === null) continue;
    const at = field(where, key);
    const to = place.graph.named(target.step, false);
    if (to !== null) {
      const isLast = place.graph.steps[to]!.work.kind === 'finally';
      if (isLast) report.unknownStep(at, '', target.step, []);
      if (step.work.kind === 'route' && target.step === id)
        report.error(at, `\`${id}\` leads to itself, and nothing would change between`, null);
      continue;
    }
    if (report.context.broken.has(target.step)) continue;
    if (report.runsLast(target.step)) report.unknownStep(at, '', target.step, []);
    else if (report.loopOf(target.step) !== undefined) {
      const message = `\`${target.step}\` is not among the ${word}s that \`${id}\` belongs to`;
      report.error(
        at,
        message,
        place.graph.parent === null ? 'a loop is entered at its own step' : hints.leaving,
      );
    } else {
      const known = [...place.graph.names(), ...hints.targets];
      report.unknown(at, `no ${word} is called \`${target.step}\``, target.step, known);
    }
  }
}

function checkOutputs(step: Step, report: CheckReport): void {
  const names = new Set<string>();
  for (const output of step.outputs) {
    if (names.has(output.name))
      report.add(
        'E_DUPLICATE',
        'error',
        field(output, 'name'),
        `two outputs are called \`${output.name}\``,
        'give one another name',
      );
    names.add(output.name);
    checkName(report, field(output, 'name'), 'an artifact', artifactNameProblem(output.name));
  }
}

/** Steps and artifacts are folders of the context, beside reserved names. */
function checkName(report: CheckReport, at: At, what: string, problem: string | null): void {
  if (problem !== null) report.error(at, `${what} cannot have this name: ${problem}`, 'give it another name');
}

const boundHints: Readonly<Record<AgentBound, string>> = {
  max_steps: 'the `timeout` or the `budget` bounds all of them together',
  max_command_time: 'the `timeout` bounds all of them together',
  variant: 'the settings of the program choose it, or the name of the model',
};

/**
 * A limit that nothing enforces is an empty promise of the definition. `owner`: the step, or its
 * check.
 */
function checkBounds(owner: object, agent: Agent, report: CheckReport): void {
  const given: Readonly<Record<AgentBound, string | number | null>> = {
    max_steps: agent.maxSteps,
    max_command_time: agent.maxCommandTime,
    variant: agent.variant ?? null,
  };
  for (const bound of report.context.notEnforced.get(agent.provider) ?? []) {
    if (given[bound] === null) continue;
    const message = `nothing holds \`${agent.provider}\` to \`${bound}\``;
    report.add('E_CAPABILITY', 'warning', field(owner, bound), message, boundHints[bound]);
  }
}

/** Checks every agent that the expression of a step may choose, as far as its values are known. */
function checkChoice(step: Step, { name, agents }: NonNullable<Step['choice']>, here: Here): void {
  const [only, other] = name;
  const values = only?.kind === 'expression' && other === undefined ? valuesOfTree(only.tree, here) : null;
  const known = Object.keys(agents);
  for (const value of new Set(values?.map(String) ?? known)) {
    if (Object.hasOwn(agents, value)) checkAgent(step, step, agents[value]!.work, here.report);
    else here.report.unknown(whole(name), `no agent is called \`${value}\``, value, known);
  }
  if (known.length > 0) return;
  const hint = 'agents are defined under `agents` in mailroom.yaml or agents.yaml, and there are none';
  if (values === null) here.report.error(whole(name), 'there is no agent to choose', hint);
}

/** `owner`: the step, or its check. */
function checkAgent(step: Step, owner: object, agent: Agent, report: CheckReport): void {
  checkBounds(owner, agent, report);
  checkServers(agent, report);
  checkPermissions(step, agent, report);
}

/** Checks that the agent's program supports the MCP servers that the step names. */
function checkServers({ provider, mcp = [] }: Agent, report: CheckReport): void {
  const why = report.context.withoutMcp.get(provider);
  if (mcp.length === 0 || why === undefined) return;
  report.error(whole(mcp), withoutServers(mcp, provider, why), 'remove `mcp`, or choose another provider');
}

/** Reports permissions that the agent's program cannot enforce. */
function checkPermissions(step: Step, agent: Agent, report: CheckReport): void {
  const { broaderThanRequested, strict } = report.context;
  if (agent.provider === 'human')
    return report.error(
      field(agent, 'provider'),
      'a person has no program',
      'let a `gate` ask, or give the step to a `role`',
    );
  if (broaderThanRequested.size > 0 && !broaderThanRequested.has(agent.provider))
    return report.unknown(
      field(agent, 'provider'),
      `no provider is called \`${agent.provider}\``,
      agent.provider,
      [...broaderThanRequested.keys()],
    );
  const permissions = broaderThanRequested.get(agent.provider)?.(agent.capabilities) ?? [];
  if (permissions.length === 0) return;
  const message = `\`${agent.provider}\` cannot hold \`${step.id}\` to its capabilities: ${permissions.join('; ')}`;
  const hint = strict ? strictHint : null;
  report.add('E_CAPABILITY', strict ? 'error' : 'warning', whole(agent.capabilities), message, hint);
}

/** Checks that a role exists and works by mail. The user exists without any protocol. */
export function checkRole(role: string, at: At, report: CheckReport): void {
  const { protocol } = report.context;
  if (protocol === null) {
    if (role === 'user') return;
    const message = `no role is called \`${role}\`: there is no protocol here`;
    return report.add('E_UNKNOWN_NAME', 'error', at, message, 'roles are defined in protocols/ of a project');
  }
  if (!protocol.roles.has(role))
    report.unknown(at, `no role is called \`${role}\``, role, [...protocol.roles.keys()]);
}

/** Checks that a message that starts a run can occur. */
export function checkMessage(role: string, type: string, node: object, report: CheckReport): void {
  const { protocol } = report.context;
  if (protocol === null) {
    const message = `no message ever comes to \`${role}\`: there is no protocol here`;
    const hint = 'roles and messages are defined in protocols/ of a project';
    return report.add('E_UNKNOWN_NAME', 'error', field(node, 'role'), message, hint);
  }
  checkRole(role, field(node, 'role'), report);
  if (!protocol.roles.has(role)) return;
  const found = protocol.types.get(type);
  if (found === undefined)
    return report.unknown(field(node, 'type'), `no message type is called \`${type}\``, type, [
      ...protocol.types.keys(),
    ]);
  if (!found.to.includes(role))
    report.error(
      field(node, 'type'),
      `\`${type}\` never comes to \`${role}\``,
      `it goes to ${enumerate(found.to)}`,
    );
}

function checkItems({ items }: ForEach, here: Here): void {
  if (Array.isArray(items)) return;
  const tree = items as Tree;
  // It could not be read: that is reported.
  if (tree.kind === 'literal' && tree.span.end === 0) return;
  checkValuePresence(tree, tree, here);
  const types = typesOfTree(tree, here);
  if (types === null || types.size === 0 || types.has('array')) return;
  const hint = types.has('string') ? 'a JSON text becomes a list by `fromJSON(…)`' : null;
  const written = here.report.written(tree, tree);
  here.report.expression(
    { node: written.node, span: written.tree.span },
    `a loop wants a list, not ${[...types].map(withArticle).join(' or ')}`,
    hint,
  );
}

/** Checks that a gate can be answered, and that its timeout gives an answer that it has. */
function checkApproval({ id }: Step, gate: Approval, report: CheckReport): void {
  const { choices, onTimeout } = gate;
  const at = field(gate, 'choices');
  for (const [index, choice] of choices.entries())
    if (choices.indexOf(choice) < index)
      report.add(
        'E_DUPLICATE',
        'error',
        field(choices, index),
        `\`${choice}\` is a choice already`,
        'remove it',
      );
  if (choices.every((choice) => choice === rejecting))
    report.error(at, `nothing can open \`${id}\`: its only choice rejects it`, 'add `approve`');
  if (onTimeout !== 'abort' && !choices.includes(onTimeout))
    report.error(
      field(gate, 'on_timeout'),
      `\`on_timeout: ${onTimeout}\` is not among the choices of \`${id}\``,
      `add \`${onTimeout}\` to \`choices\``,
    );
  else if (!choices.includes(rejecting))
    report.add(
      'E_WORKFLOW',
      'warning',
      at,
      `\`${id}\` cannot be rejected: the run continues with any choice, or has to be cancelled`,
      'add `reject`',
    );
  if (onTimeout === 'approve') checkDefaults(id, gate, report);
}

/** An approval by timeout has only defaults. */
function checkDefaults(id: string, { fields }: Approval, report: CheckReport): void {
  for (const [name, { required, default: value }] of Object.entries(fields))
    if (required && value === undefined)
      report.error(
        field(fields, name),
        `\`${name}\` is required, and absent when \`${id}\` is approved by its timeout`,
        'give it a `default`, or do not require it',
      );
}
