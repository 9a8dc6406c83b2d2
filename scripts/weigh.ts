/**
 * `npm run weigh`: prints how heavy src/ is, counted from its syntax. scripts/weights.json holds
 * what is reached, which a test compares; `-- --lower` writes what has become less into it, and
 * `-- --list` prints what is counted.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { moduleOf, nameOf, visit, type Module } from './modules.ts';

/** Text of files by their paths, which begin with `src/` or `test/`. */
export type Sources = ReadonlyMap<string, string>;

/** What is counted, by name: the figure, and what it consists of where that can be listed. */
export interface Weight {
  readonly name: string;
  readonly count: number;
  readonly list: readonly string[];
}

const extensions = 'src/extensions/';
/** A file below so many lines belongs to its only importer. */
const floor = 60;
/** A type and a schema with fewer common keys are alike by chance. */
const fewestKeys = 4;
/** Limits of lines are multiples of this, so that a small fix stays within them. */
const linesStep = 500;

/** Weighs the sources; the tests are only asked which interfaces they implement. */
export function weigh(sources: Sources, tests: Sources = new Map()): readonly Weight[] {
  const files = parsed(sources);
  const modules = new Map(files.map((file) => [file.fileName, moduleOf(file)]));
  const own = [...sources].filter(([path]) => !path.startsWith(extensions));
  const found = behaviours(files, modules, parsed(tests));
  const names = exportedNames(modules);
  const once = names.filter(({ users }) => users.size === 1).map(({ id }) => id);
  const listed = (name: string, list: readonly string[]): Weight => ({ name, count: list.length, list });
  const counted = (name: string, count: number): Weight => ({ name, count, list: [] });
  return [
    counted('lines of src', linesOf([...sources])),
    counted('lines of src without extensions', linesOf(own)),
    counted('files', files.length),
    listed(`files below ${String(floor)} lines with one importer in their folder`, slices(sources, modules)),
    listed(`types beside a schema with the same ${String(fewestKeys)} or more keys`, doubledTypes(files)),
    counted('behavioural interfaces', found.size),
    listed(
      'behavioural interfaces with one implementation or none',
      [...found].flatMap(([id, count]) => (count < 2 ? [id] : [])),
    ),
    {
      name: 'exported names that one file uses, in percent',
      count: Math.round((100 * once.length) / Math.max(1, names.length)),
      list: once,
    },
    listed('functions that only pass on', files.flatMap(passingOn)),
  ];
}

function parsed(sources: Sources): readonly ts.SourceFile[] {
  return [...sources]
    .filter(([path]) => /\.tsx?$/.test(path))
    .map(([path, text]) => ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true));
}

function linesOf(sources: readonly (readonly [path: string, text: string])[]): number {
  return sources.reduce((sum, [, text]) => sum + lineCount(text), 0);
}

function lineCount(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

function exportedNames(modules: ReadonlyMap<string, Module>): readonly { id: string; users: Set<string> }[] {
  const users = new Map<string, Set<string>>();
  for (const [path, { exports }] of modules)
    for (const name of exports) users.set(`${path} ${name}`, new Set());
  for (const [path, { imports }] of modules)
    for (const { target, names } of imports) {
      const used = names?.map(({ name }) => name) ?? modules.get(target)?.exports ?? [];
      for (const name of used) users.get(`${target} ${name}`)?.add(path);
    }
  return [...users].map(([id, by]) => ({ id, users: by }));
}

/** Files that belong to their only importer; one that is loaded by `import()` is apart. */
function slices(sources: Sources, modules: ReadonlyMap<string, Module>): readonly string[] {
  const importers = new Map<string, Set<string>>();
  const deferred = new Set<string>();
  for (const [path, { imports }] of modules)
    for (const { target, isDeferred } of imports) {
      importers.set(target, (importers.get(target) ?? new Set()).add(path));
      if (isDeferred) deferred.add(target);
    }
  return [...modules.keys()].filter((path) => {
    const [importer = '', ...others] = importers.get(path) ?? [];
    const isOne = importer !== '' && others.length === 0 && !deferred.has(path);
    const isBeside = posix.dirname(importer) === posix.dirname(path);
    return isOne && isBeside && lineCount(sources.get(path) ?? '') < floor;
  });
}

const schemaMakers = new Set(['object', 'strictObject', 'looseObject']);

/** Object types written by hand whose keys are those of a zod schema. */
function doubledTypes(files: readonly ts.SourceFile[]): readonly string[] {
  const schemas = new Set<string>();
  const types: { readonly id: string; readonly keys: string }[] = [];
  for (const file of files)
    visit(file, (node) => {
      const [shape] = ts.isCallExpression(node) ? node.arguments : [];
      if (
        ts.isCallExpression(node) &&
        ts.isPropertyAccessExpression(node.expression) &&
        schemaMakers.has(node.expression.name.text) &&
        shape !== undefined &&
        ts.isObjectLiteralExpression(shape)
      )
        schemas.add(keysOf(shape.properties));
      const members = membersOf(node);
      if (members !== null && members.length >= fewestKeys)
        types.push({ id: nameOf(file, node), keys: keysOf(members) });
    });
  return types.filter(({ keys }) => schemas.has(keys)).map(({ id }) => id);
}

/** The members of an interface, or of a type that is written as one. */
function membersOf(node: ts.Node): readonly ts.TypeElement[] | null {
  if (ts.isInterfaceDeclaration(node)) return node.heritageClauses === undefined ? node.members : null;
  return ts.isTypeAliasDeclaration(node) && ts.isTypeLiteralNode(node.type) ? node.type.members : null;
}

function keysOf(members: readonly (ts.TypeElement | ts.ObjectLiteralElementLike)[]): string {
  return members
    .map((member) => (member.name === undefined ? '…' : member.name.getText().replaceAll(/['"]/g, '')))
    .toSorted()
    .join();
}

/**
 * Interfaces mostly made of methods, by the number of their implementations: classes, and object
 * literals of that type. All of the tests are one more, where the sources have one.
 */
function behaviours(
  files: readonly ts.SourceFile[],
  modules: ReadonlyMap<string, Module>,
  tests: readonly ts.SourceFile[],
): ReadonlyMap<string, number> {
  const all = new Map([...modules, ...tests.map((file) => [file.fileName, moduleOf(file)] as const)]);
  const idOf = ({ fileName }: ts.SourceFile, name: string) => declared(all, fileName, name);
  const found = new Map<string, number>();
  const bases = new Map<string, readonly string[]>();
  const parameters = new Map<string, Parameters>();
  for (const file of files)
    visit(file, (node) => {
      const id = nameOf(file, node);
      if (ts.isFunctionDeclaration(node)) parameters.set(id, node.parameters);
      if (ts.isConstructorDeclaration(node)) parameters.set(nameOf(file, node.parent), node.parameters);
      if (!ts.isInterfaceDeclaration(node)) return;
      bases.set(
        id,
        heritageOf(node).map((name) => idOf(file, name)),
      );
      const methods = node.members.filter(isMethod).length;
      if (2 * methods > node.members.length) found.set(id, 0);
    });
  const withBases = (id: string): string[] => [id, ...(bases.get(id) ?? []).flatMap(withBases)];
  const known = (file: ts.SourceFile) =>
    implementedIn(file, (callee) => parameters.get(idOf(file, callee)))
      .flatMap((name) => withBases(idOf(file, name)))
      .filter((id) => found.has(id));
  const add = (id: string) => found.set(id, (found.get(id) ?? 0) + 1);
  files.flatMap(known).forEach(add);
  const doubles = new Set(tests.flatMap(known));
  [...doubles].filter((id) => found.get(id) !== 0).forEach(add);
  return found;
}

type Parameters = readonly ts.ParameterDeclaration[];

/** The names of the types that classes and object literals of a file implement. */
function implementedIn(
  file: ts.SourceFile,
  parametersOf: (callee: string) => Parameters | undefined,
): readonly string[] {
  const names: string[] = [];
  visit(file, (node) => {
    if (ts.isClassLike(node)) names.push(...heritageOf(node));
    else if (ts.isObjectLiteralExpression(node)) names.push(...namesIn(typeOf(node, parametersOf)));
  });
  return names;
}

function heritageOf({ heritageClauses }: ts.ClassLikeDeclaration | ts.InterfaceDeclaration) {
  return (heritageClauses ?? []).flatMap(({ types }) =>
    types.flatMap(({ expression, typeArguments }) =>
      wrappers.has(expression.getText()) ? namesIn(typeArguments?.[0]) : [expression.getText()],
    ),
  );
}

/** The type that is written where the value of an expression goes. */
function typeOf(
  node: ts.Expression,
  parametersOf: (callee: string) => Parameters | undefined,
): ts.TypeNode | undefined {
  const { parent } = node;
  if (ts.isParenthesizedExpression(parent) || ts.isConditionalExpression(parent))
    return typeOf(parent, parametersOf);
  if (ts.isReturnStatement(parent)) return ts.findAncestor(parent, ts.isFunctionLike)?.type;
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) {
    const owner = ts.findAncestor(parent, ts.isClassLike);
    const isSuper = parent.expression.kind === ts.SyntaxKind.SuperKeyword && owner !== undefined;
    const [callee = ''] = isSuper ? heritageOf(owner) : [parent.expression.getText()];
    return parametersOf(callee)?.[parent.arguments?.indexOf(node) ?? -1]?.type;
  }
  const isTyped =
    ts.isVariableDeclaration(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isArrowFunction(parent) ||
    ts.isSatisfiesExpression(parent);
  return isTyped ? parent.type : undefined;
}

const wrappers = new Set(['Promise', 'Partial', 'Pick', 'Omit']);

/** The names of a type and of the others of its union, without what wraps them. */
function namesIn(type: ts.TypeNode | undefined): readonly string[] {
  if (type === undefined) return [];
  if (ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type)) return type.types.flatMap(namesIn);
  if (!ts.isTypeReferenceNode(type)) return [];
  const name = type.typeName.getText();
  return wrappers.has(name) ? namesIn(type.typeArguments?.[0]) : [name];
}

function isMethod(member: ts.TypeElement): boolean {
  if (ts.isMethodSignature(member)) return true;
  return ts.isPropertySignature(member) && member.type !== undefined && ts.isFunctionTypeNode(member.type);
}

/** Where a name that a file uses is declared, as `nameOf` writes it. */
function declared(modules: ReadonlyMap<string, Module>, path: string, name: string): string {
  for (const { target, names } of modules.get(path)?.imports ?? []) {
    const found = names?.find((each) => each.as === name);
    if (found !== undefined) return declared(modules, target, found.name);
  }
  return `${path} ${name}`;
}

/**
 * Functions whose body is one call that passes exactly their parameters. Callbacks and local
 * closures do not count, nor does what adds something: a type, or a guard by `?.`.
 */
function passingOn(file: ts.SourceFile): readonly string[] {
  const found: string[] = [];
  visit(file, (node) => {
    if (!isNamedFunction(node)) return;
    const call = onlyCall(node.body);
    if (call === null || !isPlain(call.expression) || ts.isOptionalChain(call)) return;
    if (node.type !== undefined && ts.isTypePredicateNode(node.type)) return;
    const names = node.parameters.map(passed);
    const given = call.arguments.map((argument) => argument.getText());
    const isSame = names.length === given.length && names.every((name, index) => name === given[index]);
    if (isSame) found.push(nameOf(file, node));
  });
  return found;
}

type NamedFunction = ts.FunctionDeclaration | ts.MethodDeclaration | ts.ArrowFunction | ts.FunctionExpression;

function isNamedFunction(node: ts.Node): node is NamedFunction {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) return true;
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return false;
  const { parent } = node;
  if (ts.isPropertyDeclaration(parent)) return true;
  return ts.isVariableDeclaration(parent) && ts.isSourceFile(parent.parent.parent.parent);
}

/** The call that is all of a body, without what awaits it; null: there is more. */
function onlyCall(body: ts.ConciseBody | undefined): ts.CallExpression | null {
  if (body === undefined) return null;
  let node: ts.Node | undefined = body;
  if (ts.isBlock(body)) {
    const [statement, ...others] = body.statements;
    if (statement === undefined || others.length > 0) return null;
    const isLine = ts.isReturnStatement(statement) || ts.isExpressionStatement(statement);
    node = isLine ? statement.expression : undefined;
  }
  while (node !== undefined && (ts.isAwaitExpression(node) || ts.isParenthesizedExpression(node)))
    node = node.expression;
  return node !== undefined && ts.isCallExpression(node) ? node : null;
}

/** A name, or a member of one: what is called does not depend on a computation. */
function isPlain(callee: ts.Expression): boolean {
  if (ts.isPropertyAccessExpression(callee)) return isPlain(callee.expression);
  return [ts.SyntaxKind.Identifier, ts.SyntaxKind.ThisKeyword, ts.SyntaxKind.SuperKeyword].includes(
    callee.kind,
  );
}

/** How a parameter looks where it is passed on; null: it cannot be. */
function passed({ name, initializer, dotDotDotToken }: ts.ParameterDeclaration): string | null {
  if (!ts.isIdentifier(name) || initializer !== undefined) return null;
  return dotDotDotToken === undefined ? name.text : `...${name.text}`;
}

/** The sources of this checkout, or its tests. */
export function readSources(folder: 'src' | 'test' = 'src'): Sources {
  const root = new URL(`../${folder}/`, import.meta.url);
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted();
  return new Map(
    paths
      .filter((path) => /\.(?:tsx?|css|html)$/.test(path))
      .map((path) => [`${folder}/${path}`, readFileSync(new URL(path, root), 'utf8')]),
  );
}

const table = new URL('weights.json', import.meta.url);

/** What is reached, by the names of the figures: they may only become less. */
export function reached(): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(table, 'utf8')) as Record<string, number>;
}

/** The same table with the figures that have become less; those of lines leave some room. */
export function lowered(
  limits: Readonly<Record<string, number>>,
  weights: readonly Weight[],
): Readonly<Record<string, number>> {
  const entries = Object.entries(limits).map(([name, limit]) => {
    const count = weights.find((each) => each.name === name)?.count ?? limit;
    const room = name.startsWith('lines') ? linesStep : 1;
    return [name, Math.min(limit, Math.ceil(count / room) * room)] as const;
  });
  return Object.fromEntries(entries);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const weights = weigh(readSources(), readSources('test'));
  if (process.argv.includes('--lower'))
    writeFileSync(table, `${JSON.stringify(lowered(reached(), weights), null, 2)}\n`);
  for (const { name, count, list } of weights) {
    console.log(`${String(count).padStart(7)}  ${name}`);
    if (process.argv.includes('--list')) for (const each of list) console.log(`         ${each}`);
  }
}
