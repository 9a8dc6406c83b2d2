import { posix } from 'node:path';
import ts from 'typescript';
import { lineOf, visit } from './tree.ts';

export interface Import {
  readonly from: string;
  readonly line: number;
  readonly target: string;
  readonly isRelative: boolean;
  /** It is loaded only when it is needed, by `import()`. */
  readonly isDeferred: boolean;
  /** It imports types alone: nothing of it is left in the program. */
  readonly isType: boolean;
}

/** Static, re-exporting, dynamic and type-position imports; `target` is a path of the tree where it is relative. */
export function importsOf(file: ts.SourceFile): Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node, specifier: ts.Node | undefined): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const isRelative = specifier.text.startsWith('.');
    const target = isRelative ? posix.join(posix.dirname(file.fileName), specifier.text) : specifier.text;
    const isDeferred = ts.isCallExpression(node);
    const line = lineOf(file, node);
    found.push({ from: file.fileName, line, target, isRelative, isDeferred, isType: isTypeOnly(node) });
  };
  visit(file, (node) => {
    if (ts.isImportDeclaration(node)) add(node, node.moduleSpecifier);
    else if (ts.isExportDeclaration(node)) add(node, node.moduleSpecifier);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node, node.argument.literal);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node, node.arguments[0]);
    }
  });
  return found;
}

function isTypeOnly(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  return ts.isImportTypeNode(node) || (ts.isExportDeclaration(node) && node.isTypeOnly);
}
