import { join } from 'node:path';
import type { Launch, Prepared } from '../machine/launch.ts';
import { checkIdNames } from '../machine/prompt.ts';
import type { CommandLine, Invocation, Provider } from '../../providers/provider.ts';

/** A longer script is read from a file: Linux limits an argument to 128 KiB. */
const longestArgument = 100_000;

interface ProcessContext {
  readonly project: string;
  /** Values of the step's secrets. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Variables of every process of a run. */
function variables(
  { run, key, step, work, check, convergence, env }: Launch,
  { workspace, valuesFile }: Prepared,
  { project, secrets }: ProcessContext,
): Record<string, string> {
  return {
    ...env,
    ...secrets,
    MAILROOM_PROJECT: project,
    MAILROOM_RUN: run,
    MAILROOM_STEP: step,
    MAILROOM_STEP_PATH: key.path,
    MAILROOM_ATTEMPT: String(key.attempt),
    MAILROOM_ITERATION: String(key.iteration),
    MAILROOM_WORKSPACE: workspace,
    MAILROOM_VALUES: valuesFile,
    ...(convergence === null ? {} : { MAILROOM_STAGE: String(convergence.stage) }),
    ...(check === null ? {} : Object.fromEntries(checkIdNames(work).map((name) => [name, check.id]))),
  };
}

/** A step as the invocation of an agent, like a turn of the mail. */
export function invocationOf(
  launch: Launch,
  prepared: Prepared,
  prompt: string,
  context: ProcessContext,
): Invocation | null {
  const { work } = launch;
  if (work.kind !== 'agent') return null;
  const { capabilities, maxSteps, maxCommandTime, variant = null, mcp, model } = work;
  return {
    ...programInvocation(launch, prepared, context),
    prompt,
    capabilities,
    maxSteps,
    maxCommandTime,
    variant,
    mcp: mcp === undefined ? null : { own: mcp, servers: {} },
    mayConfigure: work.mayConfigure === true,
    model,
  };
}

/** The same for a script or a command, which has no agent and no prompt. */
export function programInvocation(launch: Launch, prepared: Prepared, context: ProcessContext): Invocation {
  const { key, run, step, session, budget } = launch;
  const { folder, workspace, stdout, stderr, valuesFile } = prepared;
  return {
    role: step,
    thread: run,
    turn: key.path,
    attempt: key.attempt,
    round: key.iteration - 1,
    prompt: '',
    capabilities: [],
    owed: owedPaths(launch, prepared),
    network: launch.network,
    maxSteps: null,
    maxCommandTime: null,
    variant: null,
    tools: null,
    mcp: null,
    mayConfigure: false,
    asking: null,
    model: null,
    workspace,
    project: context.project,
    session,
    budget,
    // A step has its values folder where a turn has its staging folder.
    paths: {
      folder,
      prompt: join(folder, 'prompt.md'),
      outbox: join(valuesFile, '..'),
      messages: [],
      stdout,
      stderr,
    },
    env: variables(launch, prepared, context),
  };
}

/** The declared outputs of a step, as absolute paths. */
export function owedPaths({ outputs }: Launch, { workspace, decisionFile }: Prepared): string[] {
  const paths = outputs.map(({ path }) => join(workspace, path));
  return decisionFile === null ? paths : [...paths, decisionFile];
}

/** The process of a step, or why there is none. `invocation`: the agent's. */
export function commandOf(
  launch: Launch,
  prepared: Prepared,
  invocation: Invocation | null,
  providers: ReadonlyMap<string, Provider>,
  context: ProcessContext,
): CommandLine | string {
  const { work } = launch;
  const env = variables(launch, prepared, context);
  const { inherit } = launch;
  const none = { inherit, stdin: prepared.stdin ?? '', files: {}, writable: [] };
  switch (work.kind) {
    case 'command':
      return { ...none, argv: work.argv, env };
    case 'script': {
      const { script } = work;
      const all = { ...env, ...work.env };
      if (script.length <= longestArgument) return { ...none, argv: ['bash', '-e', '-c', script], env: all };
      const file = 'script.sh';
      return {
        ...none,
        argv: ['bash', '-e', join(prepared.folder, file)],
        env: all,
        files: { [file]: script },
      };
    }
    case 'agent': {
      const provider = providers.get(work.provider);
      if (!provider || invocation === null) return `there is no provider \`${work.provider}\``;
      const command = provider.start(invocation);
      return {
        ...command,
        inherit: [...command.inherit, ...inherit],
        files: { ...command.files, 'prompt.md': invocation.prompt },
      };
    }
    case 'merge':
    case 'land':
      return 'git does this, and no process';
    case 'role':
      return `the role \`${work.role}\` has no process of its own`;
  }
}
