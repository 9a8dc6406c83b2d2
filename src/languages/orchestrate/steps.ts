import { call } from '../../expressions/build.ts';
import type { Template } from '../../expressions/template.ts';
import type { Body, Step, Work } from '../../workflow/model.ts';
import { isInside } from '../../yaml/paths.ts';
import type { Path } from '../../yaml/yaml.ts';
import { bareStep } from '../shared/bare-step.ts';
import { lowerCondition } from './conditions.ts';
import type { FileFacts, Lowering } from './lowering.ts';
import { checkPath } from './paths.ts';
import { kindOf, type Kind } from './kinds.ts';
import { lowerProvider } from './providers.ts';
import type { ForEachInput, StepInput, WhileInput } from './schema.ts';
import { lowerNext } from './targets.ts';
import { templateOf, valueTree } from './trees.ts';
import { lowerText, lowerTyped } from './variables.ts';

/** A step with its place in the file. */
export interface Placed {
  readonly input: StepInput;
  readonly path: Path;
}

/** `way`: the names of the enclosing loops. */
type Around = Pick<Lowering, 'items' | 'loop' | 'way'>;

const second = 1_000;
const usualTimeout = 300;
/** Milliseconds between TERM and KILL. */
const grace = 10 * second;
const pause = 2 * second;
/** The exit codes after which a step is retried. */
const retried = [1, 124];

/** The steps of the file, or of a loop, in sequence. */
export function lowerBody(steps: readonly Placed[], around: Around, facts: FileFacts): Body {
  const first = steps[0]?.input.name ?? '';
  const lowered = steps.map(({ input, path }) => {
    const way = [...around.way, input.name];
    const allowed = new Set(input.allow_missing_vars);
    return lowerStep(input, path, first, { ...facts, ...around, way, allowed });
  });
  return { kind: 'sequence', steps: lowered, maxVisits: facts.maxVisits };
}

function lowerStep(input: StepInput, path: Path, first: string, lowering: Lowering): Step {
  const { diagnostics } = lowering;
  const next = lowerNext(input, path, first, lowering);
  const kind = kindOf(diagnostics, input, path);
  if (kind === null) diagnostics.unclear.add(input.name);
  const isLoop = kind === 'for_each' || kind === 'while';
  const timeout = input.timeout ?? (isLoop || kind === 'set_context' ? null : usualTimeout);
  const attempts = input.retry?.attempts ?? 1;
  return diagnostics.from<Step>([...path, 'name'], {
    ...bareStep,
    id: input.name,
    join: 'all',
    when: input.when === undefined ? null : lowerCondition(input.when, [...path, 'when'], lowering),
    work: kind === null ? { kind: 'assign', values: {} } : lowerWork(kind, input, path, lowering),
    secrets: input.secrets ?? null,
    stdin: lowerInput(input, path, lowering),
    stdout: lowerOutput(input, path, lowering),
    timeout: timeout === null ? null : Math.round(timeout * second),
    grace,
    retry: { max: attempts - 1, base: pause, factor: 1, cap: pause, jitter: false, codes: retried },
    onFailure: attempts > 1 ? 'retry' : 'abort',
    next,
  });
}

function lowerWork(kind: Kind, input: StepInput, path: Path, lowering: Lowering): Work {
  const { diagnostics } = lowering;
  switch (kind) {
    case 'command': {
      const argv = input.command!.map((text, index) => lowerText(text, [...path, kind, index], lowering));
      return { kind: 'command', argv: diagnostics.from([...path, kind], argv), capabilities: null };
    }
    case 'provider':
      return lowerProvider(input, path, lowering);
    case 'for_each':
      return lowerForEach(input.for_each!, [...path, kind], lowering);
    case 'while':
      return lowerWhile(input.while!, [...path, kind], lowering);
    case 'set_context': {
      const values = Object.entries(input.set_context!).map(([name, value]): [string, Template] => {
        const at = [...path, kind, name];
        const tree = valueTree(value, (text, inner) => lowerTyped(text, [...at, ...inner], lowering));
        return [name, lowering.diagnostics.from(at, templateOf(tree))];
      });
      return { kind: 'assign', values: Object.fromEntries(values) };
    }
  }
}

function lowerForEach(input: ForEachInput, path: Path, lowering: Lowering): Work {
  const as = input.as ?? 'item';
  if (['context', 'steps', 'env', 'loop'].includes(as))
    lowering.diagnostics.error(
      'E_DUPLICATE',
      [...path, 'as'],
      `\`${as}\` means something else in variables`,
      'give the item another name',
    );
  const around = insideLoop('for_each', lowering, ['item', as]);
  return {
    kind: 'for-each',
    items: lowerItems(input.items, [...path, 'items'], lowering),
    as,
    concurrency: 1,
    body: lowerBody(placed(input.steps, [...path, 'steps']), around, lowering),
  };
}

function lowerItems(
  items: ForEachInput['items'],
  path: Path,
  lowering: Lowering,
): Extract<Work, { kind: 'for-each' }>['items'] {
  if (typeof items === 'string') {
    if (/^\$\{context\.[\w.-]+\}$/.test(items)) return lowerTyped(items, path, lowering);
    const message = '`items` must be a list, or one `${context.…}` that is a list';
    lowering.diagnostics.error('E_VALUE', path, message, null);
    return [];
  }
  if (!JSON.stringify(items).includes('$')) return items;
  const tree = valueTree(items, (text, inner) => lowerTyped(text, [...path, ...inner], lowering));
  return tree.kind === 'call' ? tree : call('list', tree);
}

function lowerWhile(input: WhileInput, path: Path, lowering: Lowering): Work {
  const around = insideLoop('while', lowering, []);
  return {
    kind: 'while',
    condition: lowerCondition(input.condition, [...path, 'condition'], { ...lowering, loop: 'while' }),
    maxIterations: input.max_iterations,
    body: lowerBody(placed(input.steps, [...path, 'steps']), around, lowering),
  };
}

function insideLoop(loop: 'for_each' | 'while', { items, way }: Lowering, names: readonly string[]): Around {
  return { loop, items: new Set([...items, ...names]), way };
}

function placed(steps: readonly StepInput[], path: Path): Placed[] {
  return steps.map((input, index) => ({ input, path: [...path, index] }));
}

function lowerInput(input: StepInput, path: Path, lowering: Lowering): Template | null {
  const { input_file: file, prompt_file: prompt, provider } = input;
  if (prompt !== undefined && provider === undefined)
    lowering.diagnostics.error(
      'E_UNKNOWN_KEY',
      [...path, 'prompt_file'],
      '`prompt_file` is the prompt of a provider',
      'a command reads `input_file`',
      'key',
    );
  else if (prompt !== undefined && file !== undefined)
    lowering.diagnostics.error(
      'E_WORKFLOW',
      [...path, 'prompt_file'],
      'a step reads `input_file` or `prompt_file`, not both',
      null,
      'key',
    );
  const key = file === undefined ? 'prompt_file' : 'input_file';
  const text = file ?? prompt;
  if (text === undefined) return null;
  const template = lowerText(text, [...path, key], lowering);
  checkPath(lowering.diagnostics, [...path, key], template);
  return template;
}

function lowerOutput(input: StepInput, path: Path, lowering: Lowering): Step['stdout'] {
  if (input.output_file === undefined) return null;
  const at = [...path, 'output_file'];
  const template = lowerText(input.output_file, at, lowering);
  const folder = `artifacts/${input.name}`;
  const text = template.map((part) => (part.kind === 'text' ? part.text : 'x')).join('');
  if (!isInside(text))
    lowering.diagnostics.error(
      'E_PATH',
      at,
      `\`${input.output_file}\` would leave ${folder}/`,
      'name a file in it',
    );
  else if (/^(?:\.\/)*(?:workspace\/)?artifacts\//.test(text))
    lowering.diagnostics.warn(
      at,
      `\`output_file\` is a path in ${folder}/: this makes ${folder}/${input.output_file}`,
      `write \`${input.output_file.slice(input.output_file.lastIndexOf('/') + 1)}\``,
    );
  return { folder, path: template };
}
