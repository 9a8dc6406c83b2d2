import { posix } from 'node:path';
import ts from 'typescript';
import { findCycles } from './cycles.ts';
import { isTestFile, lineOf, parse, visit, type Tree } from './tree.ts';

/** Who may import whom. A room named under `types` may be imported by `import type` alone. */
const rooms: Readonly<Record<string, { may: readonly string[]; types?: readonly string[] }>> = {
  core: { may: [] },
  spec: { may: ['core'] },
  store: { may: ['core', 'spec'] },
  process: { may: ['core'] },
  providers: { may: ['core'], types: ['process'] },
  engine: { may: ['core', 'spec'] },
  server: { may: ['core', 'spec', 'engine'] },
  cli: { may: ['core', 'engine', 'server', 'app'] },
  web: { may: [], types: ['core'] },
  app: { may: ['core', 'spec', 'store', 'process', 'providers', 'engine', 'server', 'cli'] },
};

/** Node modules that few rooms may use: store for the project's files, process for /proc and what children write. */
const onlyUsers: Readonly<Record<string, readonly string[]>> = {
  fs: ['store', 'process'],
  'fs/promises': ['store'],
  child_process: ['process'],
};

/** Packages that core may use: pure ones, each for a named reason. */
/**
 * `picomatch`: which paths a pattern means, where a workflow allows only some to be changed. `re2js`: patterns that an
 * expression searches for, in linear time.
 */
const purePackages: readonly string[] = ['picomatch', 're2js'];

/** What core must be given instead of taking it from its surroundings. */
const impureNames = new Set(
  'process performance crypto setTimeout setInterval setImmediate fetch console require'.split(' '),
);

interface Import {
  readonly from: string;
  readonly line: number;
  readonly target: string;
  readonly isRelative: boolean;
  readonly isType: boolean;
}

/** Every broken rule of the tree, as `path:line what`, and every cycle of files. */
export function findLayerFaults(tree: Tree): string[] {
  const sources = [...tree].filter(([path]) => !isTestFile(path)).map(([path, text]) => parse(path, text));
  const imports = sources.flatMap(importsOf);
  const faults = imports.flatMap((each) => {
    const fault = faultOf(each, tree);
    return fault === undefined ? [] : [`${each.from}:${each.line} ${fault}`];
  });
  const impure = sources.filter((file) => roomOf(file.fileName) === 'core').flatMap(impurities);
  const cycles = findCycles(imports.map(({ from, target }) => [from, target] as const));
  return [...faults, ...impure, ...cycles.map((cycle) => `cycle: ${cycle.join(' → ')}`)];
}

function roomOf(path: string): string {
  return path === 'src/app.ts' ? 'app' : (path.split('/')[1] ?? '');
}

function faultOf(each: Import, tree: Tree): string | undefined {
  const room = roomOf(each.from);
  const rule = rooms[room];
  if (rule === undefined) return 'is in no room';
  if (!each.isRelative) return packageFault(room, each.target);
  if (each.target === 'package.json' && ['app', 'cli'].includes(room)) return undefined;
  // Data of the room's own.
  if (each.target.endsWith('.json') && roomOf(each.target) === room) return undefined;
  if (!each.target.startsWith('src/')) return `imports ${each.target}, which is outside src`;
  if (!tree.has(each.target)) return `imports ${each.target}, which does not exist`;
  const target = roomOf(each.target);
  if (target === room || rule.may.includes(target)) return undefined;
  if (rule.types?.includes(target) === true) {
    return each.isType ? undefined : `${room} may import only types from ${target}`;
  }
  return `${room} may not import ${target} (${each.target})`;
}

function packageFault(room: string, target: string): string | undefined {
  const builtin = /^node:(.+)$/.exec(target)?.[1];
  const name = builtin ?? target;
  const users = onlyUsers[name];
  if (users?.includes(room) === false) return `only ${users.join(' and ')} may import node:${name}`;
  if (room !== 'core') return undefined;
  if (builtin !== undefined) return `core may not import ${target}`;
  return purePackages.includes(target) ? undefined : `core may not use the package ${target}`;
}

/** Static, re-exporting, dynamic and type-position imports; `target` is a path of the tree where it is relative. */
function importsOf(file: ts.SourceFile): Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node, specifier: ts.Node | undefined, isType: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const isRelative = specifier.text.startsWith('.');
    const target = isRelative ? posix.join(posix.dirname(file.fileName), specifier.text) : specifier.text;
    found.push({ from: file.fileName, line: lineOf(file, node), target, isRelative, isType });
  };
  visit(file, (node) => {
    if (ts.isImportDeclaration(node)) add(node, node.moduleSpecifier, isTypeImport(node.importClause));
    else if (ts.isExportDeclaration(node)) add(node, node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      add(node, node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      add(node, node.arguments[0], false);
    }
  });
  return found;
}

function isTypeImport(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const names = clause.namedBindings;
  if (clause.name !== undefined || names === undefined || !ts.isNamedImports(names)) return false;
  return names.elements.length > 0 && names.elements.every((element) => element.isTypeOnly);
}

function impurities(file: ts.SourceFile): string[] {
  const declared = new Set<string>();
  const used: { name: string; line: number }[] = [];
  visit(file, (node) => {
    const name = impureUse(node);
    if (name !== undefined) used.push({ name, line: lineOf(file, node) });
    // A value of core's own may have such a name: `process` is a word of the field.
    if (ts.isIdentifier(node) && isDeclaredName(node)) declared.add(node.text);
  });
  return used
    .filter(({ name }) => !declared.has(name))
    .map(({ name, line }) => `${file.fileName}:${line} core may not use ${name}`);
}

function impureUse(node: ts.Node): string | undefined {
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length)
    return 'new Date()';
  if (ts.isCallExpression(node) && node.expression.getText() === 'Date') return 'Date()';
  if (ts.isPropertyAccessExpression(node)) {
    const text = `${node.expression.getText()}.${node.name.text}`;
    return text === 'Date.now' || text === 'Math.random' ? text : undefined;
  }
  if (!ts.isIdentifier(node) || !impureNames.has(node.text) || isNameOnly(node)) return undefined;
  return node.text;
}

/** True for the name of a property or of a type, which takes no value from the surroundings. */
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
