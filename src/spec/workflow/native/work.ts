import type { Language } from '../../../core/expression/language.ts';
import type { Agent, Work } from '../../../core/workflow/model.ts';
import { capabilities as allCapabilities, type Capability } from '../../../core/mail/protocol.ts';
import type { Path } from '../../yaml.ts';
import type { Scribe } from '../scribe.ts';
import type { Worker } from './check-schema.ts';
import { missing } from './kinds.ts';

type Script = Extract<Work, { kind: 'script' }>;
type Command = Extract<Work, { kind: 'command' }>;

/** The provider that stands behind each worker; CUSTOM is none. */
export const providers: Readonly<Record<Exclude<Worker, 'CUSTOM'>, string>> = {
  CODEX_CLI: 'codex',
  CLAUDE_CODE: 'claude',
  GEMINI_CLI: 'gemini',
  OPENCODE: 'opencode',
};

interface AgentInput {
  readonly model?: string | undefined;
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

/** A worker of a step or of a check. What it must have and has not is told, in a check; of a step it was told before. */
export function lowerWorker(
  scribe: Scribe,
  input: WorkerInput,
  path: Path,
  language: Language,
): Agent | Script {
  const isCheck = path.at(-1) === 'completion_check';
  for (const key of ['instructions', 'capabilities'] as const)
    if (isCheck && input[key] === undefined) missing(scribe, key, path, 'worker');
  if (input.worker !== 'CUSTOM') return lowerAgent(scribe, providers[input.worker], input, path, language);
  warnOfScript(scribe, input, path);
  const script = scribe.script([...path, 'instructions'], input.instructions ?? '', language);
  return { kind: 'script', script, capabilities: rightsOf(scribe, input, path) };
}

/** Of rights that are not said nothing more is to be said. */
function rightsOf(scribe: Scribe, { capabilities = allCapabilities }: AgentInput, path: Path): Capability[] {
  return scribe.from([...path, 'capabilities'], [...capabilities]);
}

/** An invocation of the program behind a provider. */
export function lowerAgent(
  scribe: Scribe,
  provider: string,
  input: AgentInput,
  path: Path,
  language: Language,
): Agent {
  return {
    kind: 'agent',
    provider,
    model: input.model ?? null,
    instructions: scribe.template([...path, 'instructions'], input.instructions ?? '', language),
    capabilities: rightsOf(scribe, input, path),
    maxSteps: input.max_steps ?? null,
    maxCommandTime: input.max_command_time ?? null,
    ...(input.mcp !== undefined && { mcp: scribe.from([...path, 'mcp'], [...input.mcp]) }),
    ...(input.may_configure === true && { mayConfigure: true as const }),
  };
}

function warnOfScript(scribe: Scribe, input: WorkerInput, path: Path): void {
  for (const key of ['model', 'max_steps', 'max_command_time', 'mcp', 'may_configure'] as const)
    if (input[key] !== undefined)
      scribe.warn([...path, key], `\`${key}\` does nothing with CUSTOM: it is a script`);
}

interface CommandInput {
  readonly command: readonly string[];
  readonly capabilities?: readonly Capability[] | undefined;
  readonly instructions?: string | undefined;
  readonly model?: string | undefined;
}

export function lowerCommand(scribe: Scribe, input: CommandInput, path: Path, language: Language): Command {
  for (const key of ['instructions', 'model', 'max_steps', 'max_command_time'] as const)
    if (key in input && path.at(-1) === 'completion_check')
      scribe.error(
        'E_UNKNOWN_KEY',
        [...path, key],
        `\`${key}\` does nothing beside \`command\``,
        null,
        'key',
      );
  const at = [...path, 'command'];
  const argv = scribe.from(
    at,
    input.command.map((text, index) => scribe.template([...at, index], text, language)),
  );
  return { kind: 'command', argv, capabilities: input.capabilities ?? null };
}
