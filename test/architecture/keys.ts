import ts from 'typescript';
import { lineOf } from './tree.ts';

/** An access by a key that nobody has written into the code, to an object that any key may have. */
export interface OpenAccess {
  readonly node: ts.ElementAccessExpression | ts.BinaryExpression;
  readonly does: 'reads' | 'writes' | 'asks';
}

/**
 * The accesses by keys that may come from outside. `record[key]!` says that the key is known to be
 * one of its own, and a `Map` and an array have no such keys.
 */
export function openAccesses(file: ts.SourceFile, checker: ts.TypeChecker): OpenAccess[] {
  const found: OpenAccess[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isElementAccessExpression(node) && isOpen(node, checker)) {
      const { parent } = node;
      if (isTarget(node)) found.push({ node, does: 'writes' });
      else if (!ts.isNonNullExpression(parent) && !isGuarded(node)) found.push({ node, does: 'reads' });
    }
    if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword)
      if (isWide(checker.getTypeAtLocation(node.left))) found.push({ node, does: 'asks' });
    ts.forEachChild(node, look);
  };
  look(file);
  return found;
}

/** As the test names it. */
export function described(file: ts.SourceFile, path: string, { node, does }: OpenAccess): string {
  return `${path}:${String(lineOf(file, node))} ${does} ${node.getText().replaceAll(/\s+/g, ' ')}`;
}

function isOpen(
  { expression, argumentExpression: key }: ts.ElementAccessExpression,
  checker: ts.TypeChecker,
) {
  if (!isWide(checker.getTypeAtLocation(key))) return false;
  const type = checker.getNonNullableType(checker.getTypeAtLocation(expression));
  return (type.isUnion() ? type.types : [type]).some(
    (each) => checker.getIndexInfoOfType(each, ts.IndexKind.String) !== undefined,
  );
}

function isWide(type: ts.Type): boolean {
  return (type.isUnion() ? type.types : [type]).some(({ flags }) => (flags & ts.TypeFlags.String) !== 0);
}

function isTarget(node: ts.Expression): boolean {
  const { parent } = node;
  return (
    ts.isBinaryExpression(parent) &&
    parent.left === node &&
    parent.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    parent.operatorToken.kind <= ts.SyntaxKind.LastAssignment
  );
}

/** `Object.hasOwn(record, key) ? record[key] : …`, also with more conditions. */
function isGuarded(node: ts.ElementAccessExpression): boolean {
  const words = `Object.hasOwn(${node.expression.getText()}, ${node.argumentExpression.getText()})`;
  for (let at: ts.Node = node; at.parent !== undefined; at = at.parent)
    if (
      ts.isConditionalExpression(at.parent) &&
      at.parent.whenTrue === at &&
      at.parent.condition.getText().includes(words)
    )
      return true;
  return false;
}
