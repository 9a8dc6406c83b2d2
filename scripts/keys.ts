/** The part of JSON Schema that Mailroom's schemas use. */
export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

interface Section {
  readonly path: string;
  /** Counted from 1: a key may hold one of several mappings. */
  readonly form: number;
  readonly schema: Schema;
}

const anyValue = 'any value';

const files: Readonly<Record<string, string>> = {
  protocol: 'a protocol, `protocols/*.yaml`',
  mailroom: '`mailroom.yaml`',
  agents: '`agents.yaml`',
  workflow: 'a workflow of the native language, `workflows/*.yaml`',
  orchestrate: 'a workflow of the language orchestrate',
  swdl: 'a workflow of the language swdl',
  'swdl-overrides': '`overrides.yaml` of the language swdl',
};

/** The pages of docs/keys/ by their path, from the JSON Schemas by their file name. */
export function keyPages(schemas: ReadonlyMap<string, object>): Map<string, string> {
  return new Map(
    [...schemas].map(([name, schema]) => {
      const subject = name.replace('.schema.json', '');
      return [`docs/keys/${subject}.md`, keyPage(`Keys of ${files[subject]}`, schema)];
    }),
  );
}

/**
 * A page with every key of a file, from its JSON Schema: a table for each mapping, with what a key
 * may hold, whether it must be there, and what it means.
 */
export function keyPage(title: string, schema: Schema): string {
  return new KeyPage(schema).write(title);
}

class KeyPage {
  readonly #root: Schema;
  /** In the order of the page; equal mappings share the section of the first. */
  readonly #sections: Section[] = [];
  readonly #known = new Map<string, Section>();

  constructor(root: Schema) {
    this.#root = root;
  }

  write(title: string): string {
    this.#section('', this.#root);
    let text = `# ${title}\n\nMade from the schema by \`npm run schemas\`.\n`;
    // A section's rows find further sections, which the loop reaches.
    for (const section of this.#sections) text += `\n## ${headingOf(section)}\n\n${this.#table(section)}`;
    return text;
  }

  #table({ path, schema: { properties = {}, required = [] } }: Section): string {
    const rows = Object.entries(properties).map(([key, value]) => [
      `\`${key}\``,
      this.#type(join(path, key), value),
      required.includes(key) ? 'yes' : '',
      (this.#resolved(value).description ?? value.description ?? '').replaceAll('|', '\\|'),
    ]);
    const lines = [['key', 'value', 'required', 'meaning'], ['---', '---', '---', '---'], ...rows];
    return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  }

  #type(path: string, given: Schema): string {
    const schema = this.#resolved(given);
    if (schema.const !== undefined) return code(schema.const);
    if (schema.enum) return schema.enum.map(code).join(', ');
    const schemas = schema.anyOf ?? schema.oneOf;
    if (schemas) return this.#alternatives(path, schemas);
    if (schema.type === 'array') return `list of: ${this.#type(path, schema.items ?? {})}`;
    if (schema.properties) return this.#link(this.#section(path, schema));
    if (schema.type === 'object') return this.#names(path, schema);
    if (schema.type === 'integer' || schema.type === 'number') return `${schema.type}${rangeOf(schema)}`;
    return schema.type === undefined ? anyValue : [schema.type].flat().join(' or ');
  }

  #alternatives(path: string, schemas: readonly Schema[]): string {
    if (schemas.some((schema) => this.#resolved(schema).type === 'null') && schemas.length > 4)
      return anyValue;
    return [...new Set(schemas.map((schema) => this.#type(path, schema)))].join(' or ');
  }

  #names(path: string, { additionalProperties: values }: Schema): string {
    if (typeof values !== 'object' || Object.keys(values).length === 0) return 'mapping';
    return `names, each: ${this.#type(join(path, 'NAME'), values)}`;
  }

  #link(section: Section): string {
    const heading = headingOf(section);
    return `[${heading}](#${heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-')})`;
  }

  #section(path: string, schema: Schema): Section {
    const same = JSON.stringify({ ...schema, description: undefined });
    const known = this.#known.get(same);
    if (known) return known;
    const forms = this.#sections.filter((other) => other.path === path).length;
    const section = { path, form: forms + 1, schema };
    this.#known.set(same, section);
    this.#sections.push(section);
    return section;
  }

  #resolved(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    if (name === undefined) return schema;
    return {
      ...this.#resolved(this.#root.$defs?.[name] ?? {}),
      ...(schema.description && { description: schema.description }),
    };
  }
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function headingOf({ path, form }: Section): string {
  const heading = path === '' ? 'The file' : path;
  return form === 1 ? heading : `${heading}, form ${form}`;
}

function code(value: unknown): string {
  return `\`${String(value)}\``;
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: Schema): string {
  // The schemas of whole numbers end at the largest that a program can hold.
  const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? ` to ${maximum}` : '';
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}${most}`;
  if (minimum === undefined || minimum < -1e15) return most;
  return ` from ${minimum}${most}`;
}
