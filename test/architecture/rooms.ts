import ts from 'typescript';
import { findCycles } from './cycles.ts';
import { importsOf, type Import } from './imports.ts';
import { impurities, localTime } from './purity.ts';
import { roomsIn, isTestFile, lineOf, parse, visit, type Tree } from './tree.ts';

interface Rule {
  readonly may: readonly string[];
  /** It decides and touches nothing: no clock, no chance, no console, and of packages and node modules only these. */
  readonly pure?: readonly string[];
  /** Rooms of which it may import types alone: nothing of them is part of it. */
  readonly types?: readonly string[];
  /** It runs in a browser: no node modules, and of packages only these. */
  readonly packages?: readonly string[];
}

const machines = ['kernel', 'letters', 'mail/format', 'mail/machine'];
const definitions = ['kernel', 'yaml', 'expressions', 'config', 'mail/format', 'workflow'];
const hosting = ['kernel', 'letters', 'config', 'providers', 'disk', 'git', 'host'];
/** A folder for each language: what a new one may do is no decision of its own. */
export const languageRooms = roomsIn('src/languages').filter((room) => room !== 'languages/shared');
const language: Rule = {
  may: [...definitions, 'letters', 'workflow/check', 'workflow/machine', 'languages/shared'],
  pure: ['zod', 'croner', 'yaml'],
};
const allProcess = ['process', 'process/sandbox', 'process/output', 'process/supervision'];

/** Names between white space. */
const list = ([text = '']: readonly string[]) => text.trim().split(/\s+/);

/**
 * Who may import whom, type imports included. A room is a folder of src, or of a folder that holds several; what lies beside
 * those is a room of its own. `picomatch`: which paths or branches a pattern means. `re2js`: patterns in linear time.
 */
export const rooms: Readonly<Record<string, Rule>> = {
  kernel: { may: [], pure: [] },
  expressions: { may: ['kernel'], pure: ['re2js'] },
  yaml: { may: ['kernel'], pure: ['yaml', 'zod'] },
  letters: { may: ['kernel', 'yaml'], pure: ['zod'] },
  config: { may: ['kernel', 'yaml'], pure: ['zod'] },
  providers: { may: ['kernel', 'config'], pure: ['smol-toml', 'node:crypto', 'node:util'] },
  disk: { may: ['kernel', 'process'] },
  process: { may: ['kernel', 'providers'] },
  'process/output': { may: ['kernel', 'process'] },
  'process/sandbox': { may: ['kernel', 'process', 'providers'] },
  'process/supervision': { may: ['kernel', 'providers', 'process', 'process/output', 'process/sandbox'] },
  git: { may: ['kernel', 'process', 'process/output', 'process/sandbox'] },
  host: { may: ['kernel', 'letters', 'config', 'providers', 'disk', 'git', ...allProcess] },
  'mail/format': { may: ['kernel', 'yaml'], pure: ['@11ty/gray-matter'] },
  'mail/protocol': { may: ['kernel', 'yaml', 'config', 'mail/format'], pure: ['zod', 'picomatch'] },
  'mail/machine': { may: machines, pure: [] },
  'mail/mailboxes': { may: ['kernel', 'mail/format', 'providers', 'disk', 'host'] },
  'mail/trail': { may: ['kernel', 'git', 'mail/format', 'mail/machine'] },
  'mail/host': {
    may: [...machines, 'providers', 'disk', 'git', 'host', 'mail/mailboxes', 'mail/trail'],
  },
  workflow: { may: ['kernel', 'expressions'], pure: [] },
  'workflow/check': {
    may: ['kernel', 'expressions', 'config', 'providers', 'mail/format', 'mail/protocol', 'workflow'],
    pure: [],
  },
  'workflow/machine': {
    may: ['kernel', 'letters', 'expressions', 'providers', 'workflow'],
    pure: ['picomatch'],
  },
  'workflow/files': { may: ['kernel', 'letters', 'disk', 'host', 'workflow', 'workflow/machine'] },
  'workflow/triggers': {
    may: ['kernel', 'letters', 'disk', 'host', 'mail/format', 'workflow', 'workflow/machine'],
  },
  'workflow/host': {
    may: [
      ...hosting,
      'process',
      'process/sandbox',
      'mail/format',
      'workflow',
      'workflow/machine',
      'workflow/files',
      'workflow/triggers',
    ],
  },
  'languages/shared': {
    may: [...definitions, 'mail/protocol', 'workflow/check', 'workflow/machine'],
    pure: ['yaml', 'zod'],
  },
  ...Object.fromEntries(languageRooms.map((room) => [room, language])),
  languages: {
    may: ['kernel', 'yaml', 'workflow', 'workflow/machine', 'languages/shared', ...languageRooms],
    pure: [],
  },
  editing: {
    may: [...definitions, 'mail/protocol', 'workflow/machine', 'languages/shared', ...languageRooms],
    pure: ['yaml', 'zod'],
  },
  'channels/machine': { may: ['kernel', 'letters'], pure: [] },
  'channels/host': { may: ['kernel', 'letters', 'config', 'disk', 'host', 'channels/machine'] },
  'channels/command': { may: ['kernel', 'letters', 'channels/machine'] },
  documents: { may: list`kernel letters yaml languages/shared`, pure: ['zod'] },
  graph: { may: list`kernel mail/format workflow`, pure: [] },
  'project/definition': {
    may: list`
      kernel letters yaml expressions config providers disk git host process process/sandbox mail/format
      mail/protocol mail/machine workflow workflow/machine workflow/files workflow/triggers workflow/host
      languages languages/shared languages/swdl channels/machine channels/host documents
    `,
  },
  'mail/controller': {
    may: list`
      kernel config providers disk git host process process/output process/sandbox
      process/supervision mail/format mail/machine mail/mailboxes mail/trail mail/host workflow/machine
      workflow/host documents project/definition
    `,
  },
  'workflow/runs': {
    may: list`
      kernel letters yaml config providers disk git host process/output process/sandbox mail/machine
      mail/mailboxes mail/trail workflow workflow/machine workflow/files workflow/triggers workflow/host
      languages languages/shared documents graph project/definition mail/controller
    `,
  },
  project: {
    may: list`
      kernel letters yaml config providers disk git host process process/output process/sandbox
      process/supervision mail/format mail/protocol mail/machine mail/mailboxes workflow workflow/files
      workflow/triggers workflow/host languages/shared editing channels/host documents project/definition
      mail/controller workflow/runs
    `,
  },
  'mail/questions': {
    may: list`
      kernel letters yaml disk git host mail/format mail/machine mail/mailboxes mail/trail mail/host workflow/machine
      workflow/files documents project/definition mail/controller workflow/runs project
    `,
  },
  'workflow/questions': {
    may: list`
      kernel letters yaml process/supervision workflow workflow/machine workflow/host languages
      languages/shared editing documents project/definition workflow/runs project
    `,
  },
  up: {
    may: list`
      kernel config disk host process process/sandbox process/supervision mail/format mail/machine
      workflow workflow/machine workflow/files workflow/triggers workflow/host channels/machine
      channels/host channels/command documents project/definition mail/controller workflow/runs
      project mail/questions workflow/questions
    `,
  },
  'server/mcp': {
    may: list`
      kernel documents project/definition workflow/runs project mail/questions workflow/questions
    `,
  },
  'server/http': {
    may: list`
      kernel documents project/definition workflow/runs project mail/questions workflow/questions
    `,
  },
  cli: {
    may: list`
      kernel config disk git host process mail/format mail/machine mail/mailboxes workflow
      workflow/machine workflow/host documents graph project/definition mail/controller
      workflow/runs project mail/questions workflow/questions up server/mcp server/http
    `,
  },
  'extensions/composer': {
    may: list`
      kernel yaml languages/shared editing documents project/definition workflow/runs project
      workflow/questions server/http cli extensions/composer/graph
    `,
  },
  'extensions/composer/graph': { may: list`kernel yaml languages/shared editing`, pure: ['zod'] },
  'extensions/composer/page': {
    may: ['kernel', 'web'],
    types: ['documents', 'extensions/composer', 'extensions/composer/graph'],
    packages: [
      'preact',
      'preact/hooks',
      '@preact/signals',
      // The text editor, from its parts: the package `codemirror` has more than is used.
      ...['autocomplete', 'commands', 'lang-yaml', 'language', 'lint', 'search', 'state', 'view'].map(
        (part) => `@codemirror/${part}`,
      ),
      '@lezer/highlight',
    ],
  },
  'extensions/editors': { may: list`kernel yaml disk editing project cli` },
  'extensions/email': { may: list`kernel config channels/machine channels/host cli` },
  'extensions/github': { may: list`kernel config git channels/machine channels/host cli` },
  'extensions/metrics': {
    may: list`
      kernel disk mail/machine mail/questions workflow/machine documents project/definition
      workflow/runs project server/http cli
    `,
  },
  'extensions/nip': {
    may: list`
      kernel config disk host workflow workflow/machine workflow/files workflow/host project/definition
      workflow/runs project workflow/questions server/mcp cli extensions/nip/language extensions/nip/letters
      extensions/nip/nostr
    `,
  },
  'extensions/nip/language': {
    may: list`
      kernel yaml expressions mail/format workflow workflow/check languages/shared extensions/nip/letters
    `,
    pure: ['zod'],
  },
  'extensions/nip/letters': { may: ['letters'], pure: ['zod'] },
  'extensions/nip/nostr': {
    may: list`kernel letters config disk mail/format workflow workflow/machine extensions/nip/letters`,
  },
  'extensions/tracing': { may: list`kernel letters mail/machine workflow/machine project/definition cli` },
  'extensions/workers/letters': { may: ['kernel', 'letters', 'yaml'], pure: ['zod'] },
  'extensions/workers/queue': { may: ['kernel'] },
  'extensions/workers': {
    may: list`
      kernel letters config providers disk process process/output git host mail/mailboxes workflow/files
      workflow/host documents project/definition mail/questions server/http cli
      extensions/workers/letters extensions/workers/queue
    `,
  },
  extensions: {
    may: list`
      cli web extensions/composer extensions/composer/page extensions/editors extensions/email
      extensions/github extensions/metrics extensions/nip extensions/tracing
      extensions/workers
    `,
  },
  main: { may: ['cli', 'extensions'] },
  web: {
    may: ['kernel'],
    types: ['documents'],
    packages: list`
      preact preact/hooks @preact/signals anser mdast-util-from-markdown micromark-extension-gfm
      mdast-util-gfm mdast
    `,
  },
};

/** Node modules that few rooms may use: for the project's files, /proc, and what children write. */
const onlyUsers: Readonly<Record<string, readonly string[]>> = {
  fs: ['disk', 'git', 'host', 'process'],
  'fs/promises': ['disk'],
  child_process: ['process', 'host'],
};

/** Every broken rule of the tree, as `path:line what`, and every cycle of files or of rooms. */
export function findRoomFaults(tree: Tree): string[] {
  const sources = sourcesOf(tree);
  const imports = sources.flatMap(importsOf);
  const faults = imports.flatMap((each) => {
    const fault = faultOf(each, tree);
    return fault === undefined ? [] : [`${each.from}:${each.line} ${fault}`];
  });
  const impure = sources
    .filter((file) => rooms[roomOf(file.fileName)]?.pure)
    .flatMap((file) => impurities(file, roomOf(file.fileName)));
  const cycles = findCycles(imports.map(({ from, target }) => [from, target] as const));
  return [
    ...faults,
    ...impure,
    ...sources.filter(({ fileName }) => !fileName.startsWith('src/languages/')).flatMap(languageAsked),
    ...[...cycles, ...roomCycles()].map((cycle) => `cycle: ${cycle.join(' → ')}`),
  ];
}

/** Only languages/ may ask which language a workflow has: elsewhere that is data of the model. */
function languageAsked(file: ts.SourceFile): string[] {
  const faults: string[] = [];
  const isLanguage = (node: ts.Node): boolean =>
    ts.isPropertyAccessExpression(node)
      ? node.name.text === 'language'
      : ts.isIdentifier(node) && node.text === 'language';
  visit(file, (node) => {
    const asks = ts.isSwitchStatement(node)
      ? isLanguage(node.expression)
      : ts.isBinaryExpression(node) &&
        [node.left, node.right].some(isLanguage) &&
        [node.left, node.right].some(ts.isStringLiteralLike);
    if (asks) faults.push(`${file.fileName}:${lineOf(file, node)} asks which language a workflow has`);
  });
  return faults;
}

const parsed = new WeakMap<Tree, readonly ts.SourceFile[]>();

/** Parsing all of src takes long, so a tree is parsed once. */
function sourcesOf(tree: Tree): readonly ts.SourceFile[] {
  const known = parsed.get(tree);
  if (known !== undefined) return known;
  const sources = [...tree].filter(([path]) => !isTestFile(path)).map(([path, text]) => parse(path, text));
  parsed.set(tree, sources);
  return sources;
}

/** Who may import whom, types or all. */
export const edges = Object.entries(rooms).flatMap(([from, { may, types = [] }]) =>
  [...may, ...types].map((to) => [from, to] as const),
);

/** Every permission of the table that no file needs. What languages may do is no decision of a language. */
export function unusedEdges(tree: Tree): string[] {
  const imports = sourcesOf(tree).flatMap(importsOf);
  const used = new Set(imports.map(({ from, target }) => `${roomOf(from)} ${roomOf(target)}`));
  return edges
    .filter((edge) => !edge.some((room) => languageRooms.includes(room)) && !used.has(edge.join(' ')))
    .map(([from, to]) => `${from} does not import ${to}`);
}

function roomCycles(): string[][] {
  return findCycles(edges.filter(([from, to]) => from !== to));
}

/** `mail/host` for `src/mail/host/turns.ts`, `cli` for `src/cli/actions/up.ts`: the longest name of the table. */
export function roomOf(path: string): string {
  if (path === 'src/main.ts') return 'main';
  const [, ...folders] = path.split('/');
  const names = [3, 2].map((count) => folders.slice(0, count).join('/'));
  return names.find((name) => rooms[name] !== undefined) ?? folders[0] ?? '';
}

function faultOf(each: Import, tree: Tree): string | undefined {
  const room = roomOf(each.from);
  const rule = rooms[room];
  if (rule === undefined) return 'is in no room';
  if (!each.isRelative) return packageFault(room, each.target);
  if (each.target === 'package.json' && rule.pure === undefined) return undefined;
  // Data of the room's own.
  if (each.target.endsWith('.json') && roomOf(each.target) === room) return undefined;
  if (!each.target.startsWith('src/')) return `imports ${each.target}, which is outside src`;
  if (!tree.has(each.target)) return `imports ${each.target}, which does not exist`;
  const target = roomOf(each.target);
  if (each.target === localTime && rule.pure !== undefined)
    return `${room} is pure and must not import ${localTime}`;
  if (target === room || rule.may.includes(target)) return undefined;
  if (rule.types?.includes(target) === true)
    return each.isType ? undefined : `${room} may only import types of ${target} (${each.target})`;
  return `${room} must not import ${target} (${each.target})`;
}

function packageFault(room: string, target: string): string | undefined {
  const { pure, packages } = rooms[room] ?? {};
  if (packages !== undefined)
    return packages.includes(target) ? undefined : `${room} runs in a browser and must not import ${target}`;
  if (pure !== undefined)
    return pure.includes(target) ? undefined : `${room} is pure and must not import ${target}`;
  const users = onlyUsers[target.replace(/^node:/, '')];
  if (users === undefined || users.includes(room.split('/')[0] ?? '')) return undefined;
  return `only ${enumerated(users)} may import node:${target.replace(/^node:/, '')}`;
}

function enumerated(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
