import { posix } from 'node:path';
import ts from 'typescript';

/* What the files of src/ import and export, by their syntax. */

interface Import {
  readonly target: string;
  /** The names of the target that it imports; null: all of them. */
  readonly names: readonly { readonly name: string; readonly as: string }[] | null;
  readonly isDeferred: boolean;
}

/** What a file imports and exports. */
export interface Module {
  readonly imports: readonly Import[];
  readonly exports: readonly string[];
}

export function moduleOf(file: ts.SourceFile): Module {
  const imports: Import[] = [];
  const add = (specifier: ts.Node | undefined, names: Import['names'], isDeferred = false): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier) || !specifier.text.startsWith('.'))
      return;
    const target = posix.join(posix.dirname(file.fileName), specifier.text);
    imports.push({ target, names, isDeferred });
  };
  visit(file, (node) => {
    if (ts.isImportDeclaration(node))
      add(
        node.moduleSpecifier,
        node.importClause === undefined ? [] : namesOf(node.importClause.namedBindings),
      );
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, namesOf(node.exportClause));
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node.argument.literal, null);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], deferredNames(node), true);
  });
  return { imports, exports: file.statements.flatMap(exportsOf) };
}

function namesOf(bindings: ts.NamedImportBindings | ts.NamedExportBindings | undefined): Import['names'] {
  if (bindings === undefined || !(ts.isNamedImports(bindings) || ts.isNamedExports(bindings))) return null;
  return bindings.elements.map(({ name, propertyName }) => ({
    name: (propertyName ?? name).text,
    as: name.text,
  }));
}

/** The names in `const { a } = await import(…)` and `(await import(…)).a`. */
function deferredNames(call: ts.CallExpression): Import['names'] {
  let node: ts.Node = call.parent;
  while (ts.isAwaitExpression(node) || ts.isParenthesizedExpression(node)) node = node.parent;
  if (ts.isPropertyAccessExpression(node)) return [{ name: node.name.text, as: node.name.text }];
  if (!ts.isVariableDeclaration(node) || !ts.isObjectBindingPattern(node.name)) return null;
  return node.name.elements.map(({ name, propertyName }) => {
    const text = (propertyName ?? name).getText();
    return { name: text, as: text };
  });
}

/** The names that a statement declares and exports. */
function exportsOf(statement: ts.Statement): readonly string[] {
  if (ts.isExportDeclaration(statement) && statement.exportClause !== undefined)
    return ts.isNamedExports(statement.exportClause)
      ? statement.exportClause.elements.map(({ name }) => name.text)
      : [];
  const isExported =
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  if (!isExported) return [];
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    );
  const { name } = statement as ts.DeclarationStatement;
  return name === undefined ? [] : [name.text];
}

export function nameOf(file: ts.SourceFile, node: ts.Node): string {
  const { name } = (ts.isArrowFunction(node) ? node.parent : node) as ts.NamedDeclaration;
  return `${file.fileName} ${name?.getText() ?? ''}`;
}

export function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (inner) => visit(inner, look));
}
