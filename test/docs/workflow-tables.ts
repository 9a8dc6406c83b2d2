import { z } from 'zod';
import { nativeFile } from '../../src/languages/native/schema.ts';

/** A table of the page: where in the schema its keys are. */
export interface Table {
  readonly heading: string;
  readonly path: readonly string[];
}

/** In the order of the page. */
export const tables: readonly Table[] = [
  { heading: 'The file', path: [] },
  { heading: 'Steps', path: ['steps', '*'] },
  { heading: 'Dependencies', path: ['steps', '*', 'depends_on', '*', '1'] },
  { heading: 'Inputs', path: ['steps', '*', 'inputs', '*'] },
  { heading: 'Outputs', path: ['steps', '*', 'outputs', '*'] },
  { heading: 'Prompt inputs', path: ['steps', '*', 'takes', '*'] },
  { heading: 'Types of values and parameters', path: ['steps', '*', 'values', '*'] },
  { heading: 'Pauses between attempts', path: ['steps', '*', 'retry'] },
  { heading: 'Completion checks', path: ['steps', '*', 'completion_check'] },
  { heading: 'Convergence', path: ['steps', '*', 'convergence'] },
  { heading: 'Gates', path: ['steps', '*', 'gate'] },
  { heading: 'Loops', path: ['steps', '*', 'for_each'] },
  { heading: 'While loops', path: ['steps', '*', 'while'] },
  { heading: 'Sequences', path: ['steps', '*', 'next'] },
  { heading: 'Routes', path: ['steps', '*', 'route', '*'] },
  { heading: 'Exports', path: ['steps', '*', 'exports', '*'] },
  { heading: 'Runs at once', path: ['runs'] },
  { heading: 'Branches', path: ['branch'] },
  { heading: 'Hooks', path: ['hooks'] },
];

export interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  /** What may stand in one place; a number names one of them. */
  readonly anyOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly description?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** The rows of a table as the schema has them: key, whether it must be there, what it means. */
export function rowsOf(table: Table): string[][] {
  const { properties = {}, required = [] } = schemaAt(
    z.toJSONSchema(nativeFile, { io: 'input' }) as Schema,
    table,
  );
  return Object.entries(properties)
    .filter(([key]) => key !== '$schema')
    .map(([key, { description = '' }]) => [`\`${key}\``, required.includes(key) ? 'yes' : '', description]);
}

/** The part of a schema that a table shows. */
export function schemaAt(root: Schema, { path }: Table): Schema {
  const resolve = (schema: Schema): Schema => {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : resolve(root.$defs?.[name] ?? {});
  };
  const found = path.reduce((schema, key) => {
    const here = resolve(schema);
    const next =
      key === '*'
        ? (here.items ?? here.additionalProperties)
        : (here.anyOf?.[Number(key)] ?? here.properties?.[key]);
    if (next === undefined) throw new Error(`the schema has no ${path.join('.')}`);
    return next;
  }, root);
  return resolve(found);
}

/** The rows of the first table below a heading of a page. */
export function rowsOnPage(page: string, heading: string): string[][] {
  const section = page.split(/^#{2,3} /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const lines = section.split('\n');
  const start = lines.findIndex((line) => line.startsWith('| ---'));
  const rows = lines.slice(start + 1);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}
