import ts from 'typescript';
import { isTestFile, lineOf, parse, visit, type Tree } from './tree.ts';

const fileBudget = 400;
const functionBudget = 60;

/** Files and functions over their budget, as `path:line what`. */
export function findOverruns(tree: Tree): string[] {
  return [...tree].flatMap(([path, text]) => [...fileOverrun(path, text), ...functionOverruns(path, text)]);
}

function linesOf(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

function fileOverrun(path: string, text: string): string[] {
  const lines = linesOf(text);
  return lines > fileBudget ? [`${path}:${fileBudget + 1} the file has ${lines} lines`] : [];
}

function functionOverruns(path: string, text: string): string[] {
  // To parse them takes long, and no function of a short file is too long.
  if (linesOf(text) <= functionBudget || path.endsWith('.css')) return [];
  const file = parse(path, text);
  const isTest = path.startsWith('test/') || isTestFile(path);
  const overruns: string[] = [];
  visit(file, (node) => {
    if (!ts.isFunctionLike(node) || (isTest && isTestCallback(node))) return;
    const first = lineOf(file, node);
    const lines = file.getLineAndCharacterOfPosition(node.end).line + 2 - first;
    if (lines > functionBudget) overruns.push(`${path}:${first} the function has ${lines} lines`);
  });
  return overruns;
}

/** What a test states is a list of cases, not a function: its length is held by the file's budget. */
function isTestCallback(node: ts.Node): boolean {
  return ts.isCallExpression(node.parent) && isTestName(rootOf(node.parent.expression));
}

function isTestName(name: string): boolean {
  return ['describe', 'it', 'test', 'bench'].includes(name);
}

/** `it` for `it`, `it.each([])` and `it.skip`. */
function rootOf(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isCallExpression(expression) || ts.isPropertyAccessExpression(expression))
    return rootOf(expression.expression);
  return ts.isTaggedTemplateExpression(expression) ? rootOf(expression.tag) : '';
}

/** Ways in which a test file would not really test, as `path:line what`. */
export function findTestFaults(tree: Tree): string[] {
  return [...tree].flatMap(([path, text]) => {
    const file = parse(path, text);
    const faults: string[] = [];
    visit(file, (node) => {
      const fault = testFault(node);
      if (fault !== undefined) faults.push(`${path}:${lineOf(file, node)} ${fault}`);
    });
    return faults;
  });
}

const leftOut = new Set(['skip', 'only', 'todo', 'skipIf', 'runIf', 'fails']);

function testFault(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node)) {
    const isLeftOut = leftOut.has(node.name.text) && isTestName(rootOf(node.expression));
    return isLeftOut ? `a test is left out by .${node.name.text}` : undefined;
  }
  if (!ts.isCallExpression(node)) return undefined;
  const called = ts.isPropertyAccessExpression(node.expression)
    ? node.expression.name.text
    : rootOf(node.expression);
  if (called === 'sleep' || called === 'setTimeout')
    return `${called}() waits for time to pass, not for what is tested`;
  if (called?.startsWith('wait') && rootOf(node.expression) === 'vi' && node.arguments.length < 2)
    return `${called}() gives up after a second: use expect.poll()`;
  return called === 'expect' && isConstant(node.arguments[0]) ? 'expects something of a constant' : undefined;
}

function isConstant(node: ts.Expression | undefined): boolean {
  return node?.kind === ts.SyntaxKind.TrueKeyword || node?.kind === ts.SyntaxKind.FalseKeyword;
}
