import { withArticle } from '../kernel/enumerate.ts';
import type { Json } from '../kernel/json.ts';
import type { Called } from './language.ts';
import type { ArithmeticOperator, Tree } from './tree.ts';
import { typeOf } from './values.ts';

/** Why a value of this type cannot be an operand, and what to write instead. */
export function operandProblem(operator: ArithmeticOperator, type: string): [message: string, hint: string] {
  const hint =
    type === 'string' ? '`number(…)` reads a string as a number' : 'only numbers are calculated with';
  return [
    `\`${operator}\` cannot work with ${type === 'null' ? 'null' : withArticle(type)}`,
    operator === '+' && type === 'string'
      ? `\`format('{0}{1}', a, b)\` puts strings together; ${hint}`
      : hint,
  ];
}

/**
 * The result for two numbers. Refuses one that JSON would not keep: from 2^53 on, where integers
 * have gaps, not finite, or so small that it would be 0.
 */
export function calculate(operator: ArithmeticOperator, left: Json, right: Json): Called {
  if (typeof left !== 'number' || typeof right !== 'number') {
    const [message, hint] = operandProblem(operator, typeOf(typeof left === 'number' ? right : left));
    return { ok: false, message: `${message}: ${hint}` };
  }
  const exactly = `${String(left)} ${operator} ${String(right)}`;
  if (operator === '/' && right === 0) return { ok: false, message: `${exactly} divides by zero` };
  // JSON has no negative zero.
  const value = results[operator](left, right) + 0;
  const isLost = value === 0 && left !== 0 && right !== 0 && ['*', '/'].includes(operator);
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER && !isLost) return { ok: true, value };
  return { ok: false, message: `the result of ${exactly} cannot be kept exactly` };
}

const results: Readonly<Record<ArithmeticOperator, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};

/** What is known of an operand before anything is read; undefined: nothing. */
function constantOf(tree: Tree): Json | undefined {
  if (tree.kind === 'literal') return tree.value;
  const result = tree.kind === 'arithmetic' ? constantResult(tree) : undefined;
  return result?.ok === true ? result.value : undefined;
}

function constantResult({
  operator,
  left,
  right,
}: Extract<Tree, { kind: 'arithmetic' }>): Called | undefined {
  const [a, b] = [constantOf(left), constantOf(right)];
  if (a !== undefined && b !== undefined) return calculate(operator, a, b);
  return operator === '/' && b === 0 ? { ok: false, message: 'it divides by zero' } : undefined;
}

/** Why a calculation has no result whatever is read; null: it may have one. */
export function constantProblem(tree: Extract<Tree, { kind: 'arithmetic' }>): string | null {
  const result = constantResult(tree);
  return result?.ok === false ? result.message : null;
}

/**
 * The hint for a name that has a minus where one was meant: `a-b` is one name. `isKnown`: whether
 * the part before the minus is a name.
 */
export function spacedMinus(name: string, isKnown: (part: string) => boolean = () => true): string | null {
  for (let at = name.lastIndexOf('-'); at > 0; at = name.lastIndexOf('-', at - 1))
    if (isKnown(name.slice(0, at)))
      return `a minus has blanks around it: \`${name.slice(0, at)} - ${name.slice(at + 1) || '…'}\``;
  return null;
}
