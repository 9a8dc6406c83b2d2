import type { AgentBound } from '../../ports.ts';
import { withoutServers } from '../../mcp.ts';
import { wideningRefused } from '../../widening.ts';
import { typesOf } from '../../expression/types.ts';
import type { Tree } from '../../expression/tree.ts';
import type { Agent, ForEach, Input, Step } from '../model.ts';
import { checkChild } from './children.ts';
import { checkExpressions } from './expressions.ts';
import { findStep, meaningOf, typesOfMeaning, type Here } from './meaning.ts';
import { givesText } from './gives.ts';
import { checkInputPresence, checkTakenPresence } from './presence.ts';
import { artifactsOf } from './references.ts';
import { artifactNameProblem, stepNameProblem } from '../reserved.ts';
import { a, field, list, whole, type At, type Scene } from './scene.ts';

/** Everything about one step but its dependencies and, of a loop, its steps. */
export function checkStep(step: Step, here: Here): void {
  const { scene } = here;
  checkName(scene, whole(step), 'a step', stepNameProblem(step.id));
  checkExpressions(step, here);
  checkInputs(step, here);
  checkOutputs(step, scene);
  checkLogs(step, here);
  checkTakenPresence(step, here);
  if (step.work.kind === 'agent') checkAgent(step, step, step.work, scene);
  if (step.check?.work.kind === 'agent') checkAgent(step, step.check, step.check.work, scene);
  if (step.work.kind === 'role')
    for (const role of [step.work.role, ...(step.work.others ?? [])])
      checkRole(role, field(step.work, 'role'), scene);
  if (step.work.kind === 'for-each') checkItems(step.work, here);
  if (step.work.kind === 'workflow') checkChild(step.work, here);
}

function checkInputs(step: Step, here: Here): void {
  const { scene } = here;
  const places = new Set<string>();
  for (const input of step.inputs) {
    if (places.has(input.as))
      scene.add(
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

function checkInput(step: Step, input: Input, { scene, place }: Here): void {
  const found = findStep(input.from, place);
  if (found === null || found.graph.steps[found.target]!.id !== input.from) {
    if (scene.context.broken.has(input.from)) return;
    const message = `no step is called \`${input.from}\``;
    return scene.unknown(field(input, 'from'), message, input.from, place?.graph.names() ?? []);
  }
  const owner = found.graph.steps[found.from]!.id;
  if (found.graph.lacks(found.from, found.target)) {
    if (scene.context.broken.has(owner)) return;
    const message = `\`${step.id}\` takes an artifact of \`${input.from}\`, and \`${owner}\` does not depend on it`;
    return scene.error(field(input, 'from'), message, `name it under \`depends_on\` of \`${owner}\``);
  }
  const source = found.graph.steps[found.target]!;
  const artifacts = artifactsOf(source);
  if (scene.context.broken.has(input.from)) return;
  if (artifacts.includes(input.artifact)) return checkInputPresence(input, source, scene);
  const message = `\`${input.from}\` has no artifact \`${input.artifact}\``;
  const gives = givesText(source);
  if (gives !== null && artifacts.length === 0)
    return scene.add('E_UNKNOWN_NAME', 'error', field(input, 'artifact'), message, gives);
  scene.unknown(field(input, 'artifact'), message, input.artifact, artifacts);
}

/** Whether the logs that its agent is told of are those of steps that are over. */
function checkLogs({ id, takes = [] }: Step, { scene, place }: Here): void {
  for (const taken of takes) {
    const { log } = taken;
    if (log === undefined || scene.context.broken.has(log)) continue;
    const found = findStep(log, place);
    if (found === null) {
      const names = place?.graph.names() ?? [];
      scene.unknown(field(taken, 'log'), `no step is called \`${log}\``, log, names);
      continue;
    }
    found.graph.ask(found.from, found.target, () =>
      scene.error(
        field(taken, 'log'),
        `\`${log}\` does not come before \`${id}\``,
        `name it under \`depends_on\` of \`${id}\``,
      ),
    );
  }
}

function checkOutputs(step: Step, scene: Scene): void {
  const names = new Set<string>();
  for (const output of step.outputs) {
    if (names.has(output.name))
      scene.add(
        'E_DUPLICATE',
        'error',
        field(output, 'name'),
        `two outputs are called \`${output.name}\``,
        'give one another name',
      );
    names.add(output.name);
    checkName(scene, field(output, 'name'), 'an artifact', artifactNameProblem(output.name));
  }
}

/** Steps and artifacts are folders of the context, among what lies there anyway. */
function checkName(scene: Scene, at: At, what: string, problem: string | null): void {
  if (problem !== null) scene.error(at, `${what} cannot have this name: ${problem}`, 'give it another name');
}

const boundHints: Readonly<Record<AgentBound, string>> = {
  max_steps: 'the `timeout` or the `budget` bounds all of them together',
  max_command_time: 'the `timeout` bounds all of them together',
};

/** A bound that nothing holds the agent to is a word of the definition that nobody keeps. `owner`: the step, or its check. */
function checkBounds(owner: object, agent: Agent, scene: Scene): void {
  const given: Readonly<Record<AgentBound, number | null>> = {
    max_steps: agent.maxSteps,
    max_command_time: agent.maxCommandTime,
  };
  for (const bound of scene.context.unheld.get(agent.provider) ?? []) {
    if (given[bound] === null) continue;
    const message = `nothing holds \`${agent.provider}\` to \`${bound}\``;
    scene.add('E_CAPABILITY', 'warning', field(owner, bound), message, boundHints[bound]);
  }
}

/** `owner`: the step, or its check. */
function checkAgent(step: Step, owner: object, agent: Agent, scene: Scene): void {
  checkBounds(owner, agent, scene);
  checkServers(agent, scene);
  checkRights(step, agent, scene);
}

/** Whether the agent's program can be given the MCP servers that the step names. */
function checkServers({ provider, mcp = [] }: Agent, scene: Scene): void {
  const why = scene.context.withoutMcp.get(provider);
  if (mcp.length === 0 || why === undefined) return;
  scene.error(whole(mcp), withoutServers(mcp, provider, why), 'remove `mcp`, or choose another provider');
}

/** What the agent's program cannot hold it to. */
function checkRights(step: Step, agent: Agent, scene: Scene): void {
  const { widened, strict } = scene.context;
  if (agent.provider === 'human')
    return scene.error(
      field(agent, 'provider'),
      'a person has no program',
      'let a `gate` ask, or give the step to a `role`',
    );
  if (widened.size > 0 && !widened.has(agent.provider))
    return scene.unknown(
      field(agent, 'provider'),
      `no provider is called \`${agent.provider}\``,
      agent.provider,
      [...widened.keys()],
    );
  const rights = widened.get(agent.provider)?.(agent.capabilities) ?? [];
  if (rights.length === 0) return;
  const message = `\`${agent.provider}\` cannot hold \`${step.id}\` to its capabilities: ${rights.join('; ')}`;
  const hint = strict ? wideningRefused : null;
  scene.add('E_CAPABILITY', strict ? 'error' : 'warning', whole(agent.capabilities), message, hint);
}

/** Whether a role is there, and does what it is told by mail. The user is there without any protocol. */
export function checkRole(role: string, at: At, scene: Scene): void {
  const { protocol } = scene.context;
  if (protocol === null) {
    if (role === 'user') return;
    const message = `no role is called \`${role}\`: there is no protocol here`;
    return scene.add('E_UNKNOWN_NAME', 'error', at, message, 'roles are defined in protocols/ of a project');
  }
  if (!protocol.roles.has(role))
    scene.unknown(at, `no role is called \`${role}\``, role, [...protocol.roles.keys()]);
}

/** Whether a message that is to start a run can ever come. */
export function checkMessage(role: string, type: string, node: object, scene: Scene): void {
  const { protocol } = scene.context;
  if (protocol === null) {
    const message = `no message ever comes to \`${role}\`: there is no protocol here`;
    const hint = 'roles and messages are defined in protocols/ of a project';
    return scene.add('E_UNKNOWN_NAME', 'error', field(node, 'role'), message, hint);
  }
  checkRole(role, field(node, 'role'), scene);
  if (!protocol.roles.has(role)) return;
  const found = protocol.types.get(type);
  if (found === undefined)
    return scene.unknown(field(node, 'type'), `no message type is called \`${type}\``, type, [
      ...protocol.types.keys(),
    ]);
  if (!found.to.includes(role))
    scene.error(
      field(node, 'type'),
      `\`${type}\` never comes to \`${role}\``,
      `it goes to ${list(found.to)}`,
    );
}

function checkItems({ items }: ForEach, here: Here): void {
  if (Array.isArray(items)) return;
  const tree = items as Tree;
  const types = typesOf(tree, here.scene.context.language, (path) => typesOfMeaning(meaningOf(path, here)));
  if (types === null || types.size === 0 || types.has('array')) return;
  const hint = types.has('string') ? 'a JSON text becomes a list by `fromJSON(…)`' : null;
  here.scene.expression(
    { node: tree, span: tree.span },
    `a loop wants a list, not ${[...types].map(a).join(' or ')}`,
    hint,
  );
}
