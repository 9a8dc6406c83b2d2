import { spacedMinus } from './arithmetic.ts';
import { expressionLimits } from './limits.ts';
import type { Token } from './lexer.ts';
import { SyntaxProblem, type Span } from './problem.ts';
import type { ArithmeticOperator, Comparing, ComparisonOperator, Index, Tree } from './tree.ts';

const hints = new Map([
  ['and', '`&&` means and'],
  ['or', '`||` means or'],
  ['not', '`!` means not'],
  ['*', 'an expression reads one value: there is no `.*`'],
  [',', 'only the arguments of a function are separated by `,`'],
]);

const equalities: readonly string[] = ['==', '!='] satisfies ComparisonOperator[];
const orders: readonly string[] = ['<', '>', '<=', '>='] satisfies ComparisonOperator[];
const sums: readonly string[] = ['+', '-'] satisfies ArithmeticOperator[];
const products: readonly string[] = ['*', '/'] satisfies ArithmeticOperator[];

/**
 * The tree of an expression. Loosest first: `? :`, `||`, `&&`, `== !=`, `< > <= >=`, `+ -`, `* /`,
 * `!` and a sign, then paths and calls. Throws a SyntaxProblem at the first invalid token.
 */
export function parseTokens(tokens: readonly Token[], comparing: Comparing): Tree {
  return new Parser(tokens, comparing).whole();
}

class Parser {
  readonly #tokens: readonly Token[];
  readonly #comparing: Comparing;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], comparing: Comparing) {
    this.#tokens = tokens;
    this.#comparing = comparing;
  }

  whole(): Tree {
    if (this.#token().kind === 'end')
      throw new SyntaxProblem('the expression is empty', null, this.#token().span);
    const tree = this.#choice();
    if (this.#token().kind !== 'end') throw this.#unexpected();
    return tree;
  }

  #choice(): Tree {
    return this.#nested(() => {
      const test = this.#logic('||', () => this.#logic('&&', () => this.#equality()));
      if (!this.#take('?')) return test;
      const whenTrue = this.#choice();
      this.#expect(':');
      const whenFalse = this.#choice();
      return { kind: 'choice', test, whenTrue, whenFalse, span: around(test, whenFalse) };
    });
  }

  #logic(operator: '&&' | '||', operand: () => Tree): Tree {
    const first = operand();
    const operands = [first];
    while (this.#take(operator)) operands.push(operand());
    const span = around(first, operands.at(-1)!);
    return operands.length === 1 ? first : { kind: 'logic', operator, operands, span };
  }

  #equality(): Tree {
    const sum = (): Tree => this.#arithmetic(sums, () => this.#arithmetic(products, () => this.#unary()));
    return this.#comparisons(equalities, () => this.#comparisons(orders, sum));
  }

  #comparisons(operators: readonly string[], operand: () => Tree): Tree {
    return this.#chain(operators, operand, (mark, left, right) => ({
      kind: 'comparison',
      operator: mark as ComparisonOperator,
      comparing: this.#comparing,
      left,
      right,
      span: around(left, right),
    }));
  }

  #arithmetic(operators: readonly string[], operand: () => Tree): Tree {
    return this.#chain(operators, operand, (mark, left, right) => ({
      kind: 'arithmetic',
      operator: mark as ArithmeticOperator,
      left,
      right,
      span: around(left, right),
    }));
  }

  #chain(
    operators: readonly string[],
    operand: () => Tree,
    join: (mark: string, left: Tree, right: Tree) => Tree,
  ): Tree {
    const depth = this.#depth;
    let left = operand();
    for (let mark = this.#markOf(operators); mark !== null; mark = this.#markOf(operators)) {
      this.#deeper();
      this.#at += 1;
      left = join(mark, left, operand());
    }
    this.#depth = depth;
    return left;
  }

  #unary(): Tree {
    const { span } = this.#token();
    const sign = this.#markOf(['!', '-']);
    if (sign === null) return this.#path();
    this.#at += 1;
    return this.#nested(() => {
      const operand = this.#unary();
      const whole = { start: span.start, end: operand.span.end };
      if (sign === '!') return { kind: 'not', operand, span: whole };
      const left: Tree = { kind: 'literal', value: 0, span };
      return { kind: 'arithmetic', operator: '-', left, right: operand, span: whole };
    });
  }

  #path(): Tree {
    const depth = this.#depth;
    let tree = this.#primary();
    const token = this.#token();
    // `$name` is short for `$.name`.
    if (
      tree.kind === 'name' &&
      tree.name === '$' &&
      token.kind === 'name' &&
      token.span.start === tree.span.end
    )
      tree = this.#property(tree);
    while (tree.kind !== 'literal' && this.#markOf(['.', '[']) !== null) {
      this.#deeper();
      tree = this.#take('.') ? this.#property(tree) : this.#element(tree);
    }
    this.#depth = depth;
    return tree;
  }

  #property(object: Tree): Index {
    const token = this.#token();
    if (token.kind !== 'name') throw this.#unexpected();
    this.#at += 1;
    const span = { start: object.span.start, end: token.span.end };
    const key: Tree = { kind: 'literal', value: token.text, span: token.span };
    return { kind: 'index', object, key, comparing: this.#comparing, span };
  }

  #element(object: Tree): Index {
    this.#expect('[');
    const key = this.#choice();
    const span = { start: object.span.start, end: this.#expect(']').end };
    return { kind: 'index', object, key, comparing: this.#comparing, span };
  }

  #primary(): Tree {
    const token = this.#token();
    if (this.#take('(')) {
      const tree = this.#choice();
      this.#expect(')');
      return tree;
    }
    if (token.kind === 'literal') {
      this.#at += 1;
      return { kind: 'literal', value: token.value, span: token.span };
    }
    if (token.kind !== 'name') throw this.#unexpected();
    this.#at += 1;
    if (this.#take('(')) return this.#call(token.text, token.span);
    return { kind: 'name', name: token.text, span: token.span };
  }

  #call(name: string, nameSpan: Span): Tree {
    const operands: Tree[] = [];
    if (this.#markOf([')']) === null) {
      do operands.push(this.#choice());
      while (this.#take(','));
    }
    const span = { start: nameSpan.start, end: this.#expect(')').end };
    return { kind: 'call', name, nameSpan, operands, span };
  }

  #nested<T>(read: () => T): T {
    this.#deeper();
    const tree = read();
    this.#depth -= 1;
    return tree;
  }

  #deeper(): void {
    this.#depth += 1;
    if (this.#depth > expressionLimits.depth)
      throw new SyntaxProblem(
        `the expression is nested deeper than ${expressionLimits.depth} levels`,
        null,
        this.#token().span,
      );
  }

  #token(): Token {
    return this.#tokens[this.#at]!;
  }

  /** The next mark, if it is one of these. */
  #markOf(marks: readonly string[]): string | null {
    const token = this.#token();
    return token.kind === 'mark' && marks.includes(token.text) ? token.text : null;
  }

  #take(mark: string): boolean {
    if (this.#markOf([mark]) === null) return false;
    this.#at += 1;
    return true;
  }

  #expect(mark: string): Span {
    const { span } = this.#token();
    if (!this.#take(mark)) throw this.#unexpected(mark);
    return span;
  }

  #unexpected(wanted: string | null = null): SyntaxProblem {
    const token = this.#token();
    const instead = wanted === null ? '' : `: \`${wanted}\` is missing`;
    if (token.kind === 'end')
      return new SyntaxProblem(`the expression ends too early${instead}`, null, token.span);
    const text = token.kind === 'literal' ? literalText(token.value) : token.text;
    const before = this.#tokens[this.#at - 1];
    const hint = before?.kind === 'name' ? spacedMinus(before.text) : null;
    return new SyntaxProblem(`unexpected \`${text}\`${instead}`, hint ?? hints.get(text) ?? null, token.span);
  }
}

function literalText(value: null | boolean | number | string): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

function around(first: Tree, last: Tree): Span {
  return { start: first.span.start, end: last.span.end };
}
