import ts from 'typescript';
import { lineOf, visit } from './tree.ts';

/** What a pure room must be given instead of taking it from its environment. */
const impureNames = new Set(
  'process performance crypto setTimeout setInterval setImmediate fetch console require globalThis Date Math'.split(
    ' ',
  ),
);

/** Times in the time zone of the machine, for people: no pure room may read them. */
export const localTime = 'src/kernel/local-time.ts';
const localMethods =
  /^(?:get(?:Date|Day|FullYear|Hours|Minutes|Month|Seconds|TimezoneOffset)|to(?:Date|Time|Locale\w*)String)$/;

/** What a file of a pure room takes from its environment, as `path:line what`. */
export function impurities(file: ts.SourceFile, room: string): string[] {
  if (file.fileName === localTime) return [];
  const own: { readonly name: string; readonly scope: ts.Node }[] = [];
  const used: { readonly name: string; readonly node: ts.Node }[] = [];
  visit(file, (node) => {
    const name = impureUse(node);
    if (name !== undefined) used.push({ name, node });
    // A value of the room's own may have such a name: `process` is a word of the field.
    if (ts.isIdentifier(node) && isDeclaredName(node)) own.push({ name: node.text, scope: scopeOf(node) });
  });
  const isOwn = (name: string, node: ts.Node) =>
    own.some((each) => each.name === name && each.scope.pos <= node.pos && node.end <= each.scope.end);
  return used
    .filter(({ name, node }) => !isOwn(name, node))
    .map(
      ({ name, node }) => `${file.fileName}:${lineOf(file, node)} ${room} is pure and must not use ${name}`,
    );
}

function impureUse(node: ts.Node): string | undefined {
  if (ts.isPropertyAccessExpression(node))
    return localMethods.test(node.name.text) ? node.name.text : undefined;
  if (!ts.isIdentifier(node) || !impureNames.has(node.text) || isNameOnly(node)) return undefined;
  if (node.text !== 'Date' && node.text !== 'Math') return node.text;
  const { parent } = node;
  if (ts.isNewExpression(parent) && parent.expression === node)
    return (parent.arguments ?? []).length === 0 ? 'new Date()' : undefined;
  if (!ts.isPropertyAccessExpression(parent)) return node.text;
  const text = `${node.text}.${parent.name.text}`;
  return text === 'Date.now' || text === 'Math.random' ? text : undefined;
}

/** True for the name of a property or of a type, which takes no value from the environment. */
function isNameOnly(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  return (
    ts.isPropertyAssignment(parent) ||
    ts.isTypeElement(parent) ||
    ts.isTypeNode(parent) ||
    ts.isQualifiedName(parent) ||
    ts.isImportSpecifier(parent)
  );
}

function isDeclaredName(node: ts.Identifier): boolean {
  const { parent } = node;
  const isBinding = ts.isVariableDeclaration(parent) || ts.isParameter(parent) || ts.isBindingElement(parent);
  return (isBinding || ts.isFunctionDeclaration(parent)) && parent.name === node;
}

/** The function, block or file in which a declared name is known. */
function scopeOf(node: ts.Identifier): ts.Node {
  let scope: ts.Node = ts.isFunctionDeclaration(node.parent) ? node.parent.parent : node.parent;
  while (
    !ts.isFunctionLike(scope) &&
    !ts.isBlock(scope) &&
    !ts.isForOfStatement(scope) &&
    !ts.isSourceFile(scope)
  )
    scope = scope.parent;
  return scope;
}
