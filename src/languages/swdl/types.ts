import type { Json } from '../../kernel/json.ts';
import type { ValueType } from '../../workflow/model.ts';

/** The types of single values. */
export const typeNames = [
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'artifact_ref',
  'memory_item',
  'context_module',
] as const;
const names = typeNames.join('|');
/** Nested lists are distinguished by depth; more than a few levels are an error. */
export const typePattern = new RegExp(`^(?:array|(?:array ?< ?){0,8}(?:${names})(?: ?>){0,8})$`);

/** Strings with a special format. */
const patterns: Readonly<Record<string, string>> = {
  artifact_ref: '^(agent|skill|mcp|command):.*$',
  context_module: '^ctx:.+$',
};

interface Declared {
  readonly type: string;
  readonly required?: boolean | undefined;
  readonly default?: Json | undefined;
  readonly description?: string | undefined;
}

/** A declared type; null: its angle brackets do not match. */
export function readType({ type, required = false, description, ...rest }: Declared): ValueType | null {
  const inner = typeNamed(type.replaceAll(' ', ''));
  if (inner === null) return null;
  const value = rest.default;
  const fallback = value === undefined ? {} : { default: value };
  return { ...inner, required, ...fallback, description: description ?? null };
}

function typeNamed(name: string): ValueType | null {
  const plain = { items: null, enum: null, required: false, description: null };
  const item = /^array<(.+)>$/.exec(name)?.[1];
  if (item !== undefined) {
    const items = typeNamed(item);
    return items === null ? null : { ...plain, type: 'array', items };
  }
  switch (name) {
    case 'array':
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
    case 'object':
      return { ...plain, type: name };
    case 'artifact_ref':
    case 'context_module':
      return { ...plain, type: 'string', pattern: patterns[name]! };
    case 'memory_item':
      return { ...plain, type: 'string' };
    default:
      return null;
  }
}
