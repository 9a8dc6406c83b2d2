import type { Template } from '../../expressions/template.ts';
import type { Work } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Lowering } from './lowering.ts';
import type { StepInput } from './schema.ts';
import { lowerText } from './variables.ts';

/** The agents of the language's providers, used if there is no shim. */
const agents = { claude: 'claude', openai: 'codex', gemini: 'gemini' } as const;

const usualTokens = 4_000;

/** The provider's shim if it is on PATH, otherwise the agent itself. */
export function lowerProvider(input: StepInput, path: Path, lowering: Lowering): Work {
  const { context, diagnostics } = lowering;
  const name = input.provider!;
  const shim = `${name}-shim`;
  const { model: usualModel, maxTokens } = context.agents;
  if (input.input_file === undefined && input.prompt_file === undefined)
    diagnostics.error(
      'E_MISSING_KEY',
      path,
      `\`${input.name}\` gives its provider no prompt`,
      'name a file: `input_file: prompts/task.md`',
      'key',
    );
  const model = input.model === undefined ? null : lowerText(input.model, [...path, 'model'], lowering);
  if (context.hasProgram(shim)) {
    const tokens = String(input.max_tokens ?? maxTokens ?? usualTokens);
    const given: Template | null = model ?? (usualModel === null ? null : plain(usualModel));
    const argv = [...(given === null ? [] : [plain('--model'), given]), plain('--max-tokens'), plain(tokens)];
    return { kind: 'command', argv: [plain(shim), ...argv], capabilities: null };
  }
  if (model?.some((part) => part.kind === 'expression') === true)
    diagnostics.error(
      'E_EXPRESSION',
      [...path, 'model'],
      'without a shim the model must be written as it is',
      null,
    );
  const provider = agents[name];
  const program = context.programOf(provider);
  if (program !== null && !context.hasProgram(program))
    diagnostics.warn(
      [...path, 'provider'],
      `neither \`${shim}\` nor \`${program}\` is on PATH`,
      'install one of them, or name your program under `providers` of mailroom.yaml',
    );
  const capabilities = diagnostics.from(
    [...path, 'provider'],
    [...(input.capabilities ?? ['READ' as const])],
  );
  return {
    kind: 'agent',
    provider,
    model: input.model ?? usualModel,
    instructions: [],
    capabilities,
    maxSteps: null,
    maxCommandTime: null,
  };
}

function plain(text: string): Template {
  return [{ kind: 'text', text }];
}
