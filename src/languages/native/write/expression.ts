import { opening, type Template } from '../../../expressions/template.ts';
import type { Json, JsonObject } from '../../../kernel/json.ts';
import type { Script } from '../../../expressions/script/script.ts';
import type { ForEach } from '../../../workflow/model.ts';
import { isTree } from '../../../workflow/machine/rules.ts';
import type { Comparison, Tree } from '../../../expressions/tree.ts';

/** An expression in the syntax of the native language. */
export function expressionText(tree: Tree): string {
  switch (tree.kind) {
    case 'literal':
      return typeof tree.value === 'string' ? `'${tree.value.replaceAll("'", "''")}'` : String(tree.value);
    case 'name':
      return tree.name;
    case 'index':
      return `${expressionText(tree.object)}${keyText(tree.key)}`;
    case 'not':
      return `!${operandText(tree.operand)}`;
    case 'comparison':
      return comparisonText(tree);
    case 'logic':
      return tree.operands.map(operandText).join(` ${tree.operator} `);
    case 'choice':
      return [tree.test, '?', tree.whenTrue, ':', tree.whenFalse]
        .map((part) => (typeof part === 'string' ? part : operandText(part)))
        .join(' ');
    case 'call':
      return `${tree.name}(${tree.operands.map(expressionText).join(', ')})`;
  }
}

function keyText(key: Tree): string {
  if (key.kind !== 'literal') return `[${expressionText(key)}]`;
  if (typeof key.value === 'number') return `[${String(key.value)}]`;
  const isWord = typeof key.value === 'string' && /^[A-Za-z_][\w-]*$/.test(key.value);
  return isWord ? `.${key.value}` : `[${expressionText(key)}]`;
}

/** Case-sensitive, and only between values of one type, if the original compares so. */
function comparisonText({ operator, comparing, left, right }: Comparison): string {
  if (comparing === 'loose') return `${operandText(left)} ${operator} ${operandText(right)}`;
  const [a, b] = [expressionText(left), expressionText(right)];
  switch (operator) {
    case '==':
      return `same(${a}, ${b})`;
    case '!=':
      return `!same(${a}, ${b})`;
    case '<':
      return `less(${a}, ${b})`;
    case '>':
      return `less(${b}, ${a})`;
    case '<=':
      return `(same(${a}, ${b}) || less(${a}, ${b}))`;
    case '>=':
      return `(same(${a}, ${b}) || less(${b}, ${a}))`;
  }
}

function operandText(tree: Tree): string {
  const text = expressionText(tree);
  const isPlain =
    tree.kind === 'literal' || tree.kind === 'name' || tree.kind === 'index' || tree.kind === 'call';
  return isPlain ? text : `(${text})`;
}

/** A script with its expressions back in their places. */
export function scriptText({ text, variables }: Script): string {
  return Object.entries(variables).reduce(
    (whole, [name, tree]) => whole.replaceAll(`\${${name}}`, () => `${opening} ${expressionText(tree)} }}`),
    text,
  );
}

/** The items of a loop: a list, or one expression, since lists are not searched for expressions. */
export function itemsText(items: ForEach['items']): string | Json[] {
  if (isTree(items)) return `${opening} ${expressionText(items)} }}`;
  const text = JSON.stringify(items);
  if (!text.includes(opening)) return [...items];
  return `${opening} fromJSON(${expressionText({ kind: 'literal', value: text, span: { start: 0, end: 0 } })}) }}`;
}

/** A string with expressions in the syntax of the native language. */
export function templateText(template: Template): string {
  return template
    .map((part) =>
      part.kind === 'text'
        ? part.text.replaceAll(opening, `${opening} '${opening}' }}`)
        : `${opening} ${expressionText(part.tree)} }}`,
    )
    .join('');
}

/** Templates by name as strings; null: none. */
export function templateTexts(templates: Readonly<Record<string, Template>>): JsonObject | null {
  const entries = Object.entries(templates).map(
    ([name, template]) => [name, templateText(template)] as const,
  );
  return entries.length === 0 ? null : Object.fromEntries(entries);
}
