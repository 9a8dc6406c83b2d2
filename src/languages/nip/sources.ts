import { call, constant, literal, orNull } from '../../expressions/build.ts';
import { parseExactJson } from '../../kernel/json.ts';
import type { Tree } from '../../expressions/tree.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import { readPath, type Names } from './paths.ts';
import type { InputPart, StepTag } from './steps.ts';

/** The name of an unnamed literal. */
const unnamed = 'input';

/** A step's inputs as one mapping; a path without a value is null. */
export function lowerInputs({ inputs }: StepTag, names: Names, diagnostics: Diagnostics): Tree {
  const seen = new Set<string>();
  const operands = inputs.flatMap((part): Tree[] => {
    const value = part.source.startsWith('$') ? reference(part, names, diagnostics) : literalOf(part.source);
    const name = part.name ?? nameOf(part.source);
    if (seen.has(name)) {
      const hint = 'give each a name: `first=$input.text`';
      diagnostics.error('E_DUPLICATE', part.path, `two inputs of the step are called \`${name}\``, hint);
    }
    seen.add(name);
    return value === null ? [] : [literal(name), value];
  });
  return call('map', ...operands);
}

function reference({ source, path, start }: InputPart, names: Names, diagnostics: Diagnostics): Tree | null {
  // Positions count from the beginning of the word.
  const read = readPath(`${' '.repeat(start)}${source}`, names);
  if (read.ok) return orNull(diagnostics.writtenAs(path, read.tree, read.tree));
  const { message, hint, span } = read.problem;
  diagnostics.errorAt('E_EXPRESSION', path, span, message, hint);
  return null;
}

/** A JSON text is its value, any other text a string. */
function literalOf(text: string): Tree {
  // A number that would lose digits stays a string.
  return constant(parseExactJson(text) ?? text);
}

/** The last name of a path: `text` of `$input.text`, `list` of `$made['list'][0]`. */
function nameOf(source: string): string {
  return source.startsWith('$') ? (source.match(/[A-Za-z_][\w-]*/g)?.at(-1) ?? unnamed) : unnamed;
}
