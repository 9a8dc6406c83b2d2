import type { Language } from '../../expressions/language.ts';
import { workerProviders } from '../../config/profiles.ts';
import type { Agent } from '../../workflow/agent.ts';
import type { Step, Work } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { Worker } from './check-schema.ts';
import { missing } from './kinds.ts';
import type { StepInput } from './step-schema.ts';
import { capabilities as allCapabilities, type Capability } from '../../kernel/capabilities.ts';

type Script = Extract<Work, { kind: 'script' }>;
type Command = Extract<Work, { kind: 'command' }>;

/** The provider of each worker; CUSTOM has none. */
const providers: Readonly<Record<Exclude<Worker, 'CUSTOM'>, string>> = workerProviders;

interface AgentInput {
  readonly model?: string | undefined;
  readonly variant?: string | undefined;
  readonly instructions?: string | undefined;
  readonly capabilities?: readonly Capability[] | undefined;
  readonly max_steps?: number | undefined;
  readonly max_command_time?: number | undefined;
  readonly mcp?: readonly string[] | undefined;
  readonly may_configure?: boolean | undefined;
}

interface WorkerInput extends AgentInput {
  readonly worker: Worker;
}

/**
 * A worker of a step or of a check. Reports missing keys of a check; those of a step were reported
 * before.
 */
export function lowerWorker(
  diagnostics: Diagnostics,
  input: WorkerInput,
  path: Path,
  language: Language,
): Agent | Script {
  if (path.at(-1) === 'completion_check') checkNeeded(diagnostics, input, path, 'worker');
  if (input.worker !== 'CUSTOM')
    return lowerAgent(diagnostics, providers[input.worker], input, path, language);
  warnOfScript(diagnostics, input, path);
  const script = diagnostics.script([...path, 'instructions'], input.instructions ?? '', language);
  return { kind: 'script', script, capabilities: permissionsOf(diagnostics, input, path) };
}

/** Reports what the worker or the provider of a check needs and does not have. */
export function checkNeeded(
  diagnostics: Diagnostics,
  input: AgentInput,
  path: Path,
  kind: 'worker' | 'provider',
): void {
  for (const key of ['instructions', 'capabilities'] as const)
    if (input[key] === undefined) missing(diagnostics, key, path, kind);
}

/** Missing permissions have already been reported. */
function permissionsOf(
  diagnostics: Diagnostics,
  { capabilities = allCapabilities }: AgentInput,
  path: Path,
): Capability[] {
  return diagnostics.from([...path, 'capabilities'], [...capabilities]);
}

/** An invocation of a provider's program. */
export function lowerAgent(
  diagnostics: Diagnostics,
  provider: string,
  input: AgentInput,
  path: Path,
  language: Language,
): Agent {
  return {
    kind: 'agent',
    provider,
    model: input.model ?? null,
    ...(input.variant !== undefined && { variant: input.variant }),
    instructions: diagnostics.template([...path, 'instructions'], input.instructions ?? '', language),
    capabilities: permissionsOf(diagnostics, input, path),
    maxSteps: input.max_steps ?? null,
    maxCommandTime: input.max_command_time ?? null,
    ...(input.mcp !== undefined && { mcp: diagnostics.from([...path, 'mcp'], [...input.mcp]) }),
    ...(input.may_configure === true && { mayConfigure: true as const }),
  };
}

/** When a silent worker is ended, and what follows. */
export function stallOf(input: Pick<StepInput, 'idle_timeout' | 'on_stall'>): Pick<Step, 'stall'> {
  const { idle_timeout: after, on_stall: policy = 'retry' } = input;
  return after === undefined ? {} : { stall: { after, policy } };
}

/** What only the program of an agent obeys. */
const agentKeys = ['model', 'variant', 'max_steps', 'max_command_time', 'mcp', 'may_configure'] as const;

function warnOfScript(diagnostics: Diagnostics, input: WorkerInput, path: Path): void {
  for (const key of agentKeys)
    if (input[key] !== undefined)
      diagnostics.warn([...path, key], `\`${key}\` does nothing with CUSTOM: it is a script`);
}

interface CommandInput {
  readonly command: readonly string[];
  readonly capabilities?: readonly Capability[] | undefined;
  readonly instructions?: string | undefined;
  readonly model?: string | undefined;
}

export function lowerCommand(
  diagnostics: Diagnostics,
  input: CommandInput,
  path: Path,
  language: Language,
): Command {
  for (const key of [...agentKeys, 'instructions'] as const)
    if (key in input && path.at(-1) === 'completion_check')
      diagnostics.error(
        'E_UNKNOWN_KEY',
        [...path, key],
        `\`${key}\` does nothing beside \`command\``,
        null,
        'key',
      );
  const at = [...path, 'command'];
  const argv = diagnostics.from(
    at,
    input.command.map((text, index) => diagnostics.template([...at, index], text, language)),
  );
  return { kind: 'command', argv, capabilities: input.capabilities ?? null };
}
