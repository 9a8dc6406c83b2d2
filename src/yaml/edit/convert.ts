import { Lexer, isScalar } from 'yaml';
import { isJsonObject, parseJson, type Json } from '../../kernel/json.ts';
import type { Path, YamlDocument } from '../yaml.ts';
import { applyPatches, type Patch } from './patches.ts';
import { blockText, type Style } from './print.ts';
import { EditableText } from './tree.ts';

export const formats = ['yaml', 'json'] as const;

export type Format = (typeof formats)[number];

/** JSON is also YAML: only what is JSON counts as such. */
export function formatOf(text: string): Format {
  return parseJson(text) === undefined ? 'yaml' : 'json';
}

/** The value of a document as JSON, in its order, with numbers as they are written. */
export function asJson({ value, sourceOf }: Pick<YamlDocument, 'value' | 'sourceOf'>): string {
  const written = (here: Json, path: Path, indent: string): string => {
    if (typeof here === 'number') return numberIn(sourceOf(path), here);
    if (typeof here !== 'object' || here === null) return JSON.stringify(here);
    const inner = `${indent}  `;
    const parts = isJsonObject(here)
      ? Object.entries(here).map(
          ([key, each]) => `${JSON.stringify(key)}: ${written(each, [...path, key], inner)}`,
        )
      : here.map((each, index) => written(each, [...path, index], inner));
    const [open, close] = isJsonObject(here) ? ['{', '}'] : ['[', ']'];
    if (parts.length === 0) return open + close;
    return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
  };
  return `${written(value, [], '')}\n`;
}

const style: Style = { json: false, quote: '"', eol: '\n', unit: 2, padding: ' ' };

/** The value of a document as YAML, in its order, with numbers as they are written. */
export function asYaml({ value, sourceOf }: Pick<YamlDocument, 'value' | 'sourceOf'>): string {
  const text = `${blockText(value, style, -style.unit, ':').trimStart()}\n`;
  const tree = new EditableText(text);
  const patches: Patch[] = [];
  const visit = (here: Json, path: Path): void => {
    if (typeof here === 'object' && here !== null)
      for (const [key, each] of Object.entries(here))
        visit(each, [...path, Array.isArray(here) ? Number(key) : key]);
    const node = typeof here === 'number' ? tree.nodeAt(path) : null;
    if (typeof here !== 'number' || !isScalar(node)) return;
    const [from, to] = node.range;
    patches.push({ from, to, insert: numberIn(sourceOf(path), here) });
  };
  visit(value, []);
  return applyPatches(text, patches);
}

/** `1.0` says more than 1 where a version is meant. */
function numberIn(source: string | null, value: number): string {
  const isJson = source !== null && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(source);
  return isJson && Number(source) === value ? source : JSON.stringify(value);
}

/** Whether a YAML text has comments, which JSON cannot have. */
export function hasComments(text: string): boolean {
  let isScalarNext = false;
  for (const token of new Lexer().lex(text)) {
    if (token.startsWith('#') && !isScalarNext) return true;
    isScalarNext = token === '\u001f';
  }
  return false;
}
