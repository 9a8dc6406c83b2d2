import type * as z from 'zod';
import type { Diagnostic } from '../kernel/diagnostic.ts';
import { definitionOf, schemasAt, unwrapped } from './shape.ts';
import { ui } from './schema.ts';
import type { Path, YamlDocument } from './yaml.ts';

const freeKinds = ['any', 'unknown'];

/**
 * Numbers and booleans without quotes that would be read in another spelling, such as 3.10 or 0644,
 * where the schema also takes text: only a number for a number may be written in any way.
 */
export function spellingProblems(document: YamlDocument, schema: z.core.$ZodType): Diagnostic[] {
  const problems: Diagnostic[] = [];
  const visit = (value: unknown, path: Path): void => {
    if (Array.isArray(value)) value.forEach((each, index) => visit(each, [...path, index]));
    else if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value))
        if (!isTyped(value, key) && !isUnread(schema, [...path, key])) visit(each, [...path, key]);
    } else if (typeof value === 'number' || typeof value === 'boolean') {
      const source = document.sourceOf(path);
      if (source !== null && source !== String(value) && isFree(schema, path, value))
        problems.push(problem(document, path, source, String(value)));
    }
  };
  visit(document.value, []);
  return problems;
}

/** Whether a value is declared to be a number or a boolean beside it. */
function isTyped(declaration: object, key: string): boolean {
  const { type } = declaration as { readonly type?: unknown };
  return ['default', 'enum'].includes(key) && ['number', 'integer', 'boolean'].includes(type as string);
}

function isUnread(schema: z.core.$ZodType, path: Path): boolean {
  return path.at(-1) === 'ui' && schemasAt(schema, path).includes(ui);
}

/** Whether a place takes text as well as this kind of value. */
function isFree(schema: z.core.$ZodType, path: Path, value: number | boolean): boolean {
  const kinds = schemasAt(schema, path)
    .flatMap(unwrapped)
    .map((each) => definitionOf(each).type);
  return (
    kinds.some((each) => freeKinds.includes(each)) ||
    (kinds.includes('string') && kinds.includes(typeof value))
  );
}

function problem(document: YamlDocument, path: Path, source: string, value: string): Diagnostic {
  return {
    code: 'E_VALUE',
    severity: 'error',
    message: `without quotes \`${source}\` is read as ${value}`,
    place: document.place(path),
    hint: `quote it: "${source}"; or write ${value}`,
  };
}
