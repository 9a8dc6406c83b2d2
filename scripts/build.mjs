// Bundles src/main.ts into dist/app.cjs, what of it prints the help into dist/help.cjs, what
// answers first for the tools of a turn into dist/tools.cjs, the launcher into dist/launcher.cjs,
// and the page, which begins in src/extensions/page.ts, into dist/web.json.br. What few commands
// load lies in compressed files of its own; these, and V8's compiled caches, are named by their
// content and moved into place before the files that name them, so that a reader of dist/ sees one
// complete build at any time.
import { spawnSync } from 'node:child_process';
import { copyFileSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { basename, join, parse } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { leanLibraries, leanQueue } from './lean.mjs';
import { licencesOf, packagesOf, vendoredIn } from './licences.mjs';
import { isCurrent, newestSource } from './sources.cjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dayInMilliseconds = 24 * 60 * 60 * 1000;

/**
 * Builds into `outputDirectory` (dist/ of this checkout) and returns the path of its app.cjs. Other
 * builds may do so meanwhile. Files of earlier builds stay for as long, in milliseconds: a process
 * that is just starting may need them.
 */
export async function build(outputDirectory = join(root, 'dist'), keepOld = dayInMilliseconds) {
  const { build: bundle } = await import('esbuild');
  const sourceTime = newestSource() / 1000;
  mkdirSync(outputDirectory, { recursive: true });
  const staging = mkdtempSync(join(outputDirectory, `${stagingName}${process.pid}-`));
  try {
    const reports = await Promise.all([
      buildProgram(bundle, staging),
      buildHelp(bundle, staging),
      buildAlone(bundle, staging, { launcher: 'src/process/starting/launcher-program.ts' }),
      buildAlone(bundle, staging, { tools: 'src/server/mcp/at-once.ts' }),
      buildPage(bundle, join(staging, 'web.json.br')),
    ]);
    const sourceMap = JSON.parse(readFileSync(join(staging, 'app.cjs.map'), 'utf8'));
    const licences = licencesOf(root, packagesOf(...reports.flat()), vendoredIn(sourceMap));
    writeFileSync(join(staging, 'licences.txt'), licences);
    for (const program of ['app', 'help']) keepCompiled(staging, program);
    // An edit made while the build runs must count as newer than the build.
    utimesSync(join(staging, 'app.cjs'), sourceTime, sourceTime);
    publish(staging, outputDirectory, keepOld);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return join(outputDirectory, 'app.cjs');
}

/**
 * Returns the path of an app.cjs that is as new as the sources, building one when there is none.
 */
export async function ensureBuilt() {
  const built = join(root, 'dist', 'app.cjs');
  if (isCurrent(built)) return built;
  try {
    return await build();
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
  }
  const elsewhere = privateTemporaryDirectory();
  return isCurrent(join(elsewhere, 'app.cjs')) ? join(elsewhere, 'app.cjs') : build(elsewhere);
}

/** What the program loads only where it is asked for, from a file of its own. */
const apart = /^\.\/(?:otlp|mailbox)\.ts$|\/queue\/bull\.ts$/;

/** Libraries that few commands load, by the names of their files. */
const librariesApart = {
  '@clack/prompts': 'prompts',
  'vscode-languageserver/node': 'lsp',
  re2js: 're2js',
  ws: 'ws',
};

/** Bundles the program, and what it loads apart. Returns esbuild's reports. */
async function buildProgram(bundle, outdir) {
  const parts = new Map();
  const partOf = (entryPoint, name) => {
    if (!parts.has(entryPoint)) parts.set(entryPoint, buildPart(bundle, outdir, { [name]: entryPoint }));
    return parts.get(entryPoint).then(({ path }) => ({ path: `./${basename(path)}`, external: true }));
  };
  const plugin = {
    name: 'apart',
    setup: ({ onResolve }) => {
      onResolve({ filter: apart }, ({ kind, path, resolveDir }) =>
        kind === 'dynamic-import' ? partOf(join(resolveDir, path), parse(path).name) : undefined,
      );
      onResolve({ filter: /./ }, ({ path }) =>
        Object.hasOwn(librariesApart, path) ? partOf(path, librariesApart[path]) : undefined,
      );
    },
  };
  const app = await bundle({
    ...programOptions(outdir),
    entryPoints: { app: 'src/main.ts' },
    plugins: [leanLibraries, plugin],
    banner: { js: opening('app') },
  });
  const built = await Promise.all(parts.values());
  return [...built.map(({ metafile }) => metafile), app.metafile];
}

/** Bundles a part into one compressed file. */
async function buildPart(bundle, outdir, entryPoints) {
  const { metafile, outputFiles } = await bundle({
    ...programOptions(outdir),
    entryPoints,
    entryNames: '[name]-[hash]',
    write: false,
    sourcemap: false,
    mainFields: ['module', 'main'],
    plugins: [leanQueue, leanLibraries],
  });
  const [{ path, contents }] = outputFiles;
  writeFileSync(`${path}.br`, brotliCompressSync(contents));
  return { metafile, path: `${path}.br` };
}

/** Bundles what prints the help and the version: all that the program loads at its start. */
async function buildHelp(bundle, outdir) {
  const plugin = {
    name: 'without-actions',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /./ }, ({ kind, path }) =>
        kind === 'dynamic-import' ? { path, namespace: 'action' } : undefined,
      );
      onLoad({ filter: /./, namespace: 'action' }, () => ({ contents: '' }));
    },
  };
  const { metafile } = await bundle({
    ...programOptions(outdir),
    entryPoints: { help: 'src/main.ts' },
    plugins: [plugin],
    sourcemap: false,
    banner: { js: opening('help') },
  });
  return metafile;
}

/** Bundles a small program of its own. */
async function buildAlone(bundle, outdir, entryPoints) {
  const { metafile } = await bundle({ ...programOptions(outdir), entryPoints, sourcemap: false });
  return metafile;
}

function programOptions(outdir) {
  return {
    absWorkingDir: root,
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // The program is compiled as a script, and cannot load modules.
    supported: { 'dynamic-import': false },
    minify: true,
    sourcemap: 'linked',
    metafile: true,
    // licences.txt has the whole texts.
    legalComments: 'none',
    charset: 'ascii',
    logLevel: 'silent',
  };
}

/**
 * Bundles the page: index.html, and beside it the script and the style sheet that it names; and
 * saved.html, whose script is whole in one file, without the composer. Writes them into one
 * compressed file, as JSON by their names. Returns esbuild's report.
 */
async function buildPage(bundle, output) {
  const [script, style] = ['src/extensions/page.ts', 'src/extensions/page.css'];
  const options = {
    absWorkingDir: root,
    entryNames: '[name]-[hash]',
    outdir: 'web',
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    metafile: true,
    legalComments: 'none',
    logLevel: 'silent',
    // Its variant for browsers makes HTML of what it reads, which the page's policy forbids, and
    // the other one is large.
    alias: { 'decode-named-character-reference': join(root, 'src/web/named-characters.ts') },
    plugins: [leanLibraries],
    // Code of the text editor for Chrome on Android, which edits there as elsewhere without it.
    define: { 'window.EditContext': 'undefined' },
  };
  const [page, saved] = await Promise.all([
    bundle({
      ...options,
      entryPoints: { page: script, style },
      chunkNames: '[name]-[hash]',
      // What only some views need, such as the composer, is loaded when they open.
      splitting: true,
    }),
    bundle({ ...options, entryPoints: { saved: script }, external: ['*/composer.tsx'] }),
  ]);
  const html = naming(readFileSync(join(root, 'src', 'web', 'index.html'), 'utf8'), style, page);
  const built = [...page.outputFiles, ...saved.outputFiles].map(({ path, text }) => [basename(path), text]);
  const files = {
    'index.html': naming(html, script, page),
    'saved.html': naming(html, script, saved),
    ...Object.fromEntries(built),
  };
  writeFileSync(output, brotliCompressSync(JSON.stringify(files)));
  return page.metafile;
}

/** The HTML with the name of a built file instead of that of its source. */
function naming(html, source, { metafile }) {
  const [path] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === source);
  return html.replace(source.replace('src/', '../'), basename(path));
}

const unnamed = '0'.repeat(16);

/** Modules of Node that take a millisecond or more to load, and that not all commands use. */
const slowModules = ['child_process', 'crypto', 'readline', 'readline/promises', 'zlib'];

/** The first lines of a program: the name of its cache, and how it loads slow modules and parts. */
function opening(program) {
  const slow = JSON.stringify(slowModules.map((name) => `node:${name}`));
  return `${cacheLine(program, unnamed)}
require = ((load) => (name) => {
  if (!name.endsWith('.br') && !${slow}.includes(name)) return load(name);
  let loaded;
  const module = () => (loaded ??= load(name));
  return new Proxy({}, {
    get: (_, key) => module()[key],
    ownKeys: () => Reflect.ownKeys(module()),
    getOwnPropertyDescriptor: (_, key) => ({ ...Reflect.getOwnPropertyDescriptor(module(), key), configurable: true }),
  });
})(require);`;
}

function cacheLine(program, name) {
  return `// ${program}-${name}.cache`;
}

/** Writes V8's compiled cache of a program. Without a cache it starts more slowly. */
function keepCompiled(staging, program) {
  const file = join(staging, `${program}.cjs`);
  const text = readFileSync(file, 'latin1');
  const name = createHash('sha256').update(text).digest('hex').slice(0, unnamed.length);
  writeFileSync(file, text.replace(cacheLine(program, unnamed), cacheLine(program, name)), 'latin1');
  const compiler = fileURLToPath(new URL('compile-cache.mjs', import.meta.url));
  spawnSync(process.execPath, [compiler, file, join(staging, `${program}-${name}.cache`)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/**
 * Copies a build to a new folder, while others may replace it: the programs first, since the files
 * that a program names are there before it and stay after it.
 */
export function copyBuild(from, to) {
  const programs = ['app.cjs', 'help.cjs', 'launcher.cjs', 'tools.cjs'];
  mkdirSync(to);
  for (const name of programs) copyFileSync(join(from, name), join(to, name));
  for (const name of readdirSync(from).filter((each) => !programs.includes(each) && !isStaging(each)))
    copyFileSync(join(from, name), join(to, name));
}

const stagingName = '.building-';

function isStaging(name) {
  return name.startsWith(stagingName);
}

/** Moves the files of a build into place, app.cjs after the others that it names. */
function publish(staging, outputDirectory, keepOld) {
  const names = readdirSync(staging).filter((name) => name !== 'app.cjs');
  for (const name of [...names, 'app.cjs']) renameSync(join(staging, name), join(outputDirectory, name));
  removeOldFiles(outputDirectory, new Set([...names, 'app.cjs']), keepOld);
}

function removeOldFiles(directory, current, keepOld) {
  for (const name of readdirSync(directory).filter((each) => !current.has(each))) {
    const path = join(directory, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    const isOld = () => found !== undefined && Date.now() - found.mtimeMs >= keepOld;
    if (isStaging(name) ? !isBuilding(name) : isOld()) rmSync(path, { recursive: true, force: true });
  }
}

/** Whether the process that made a folder to build in is there. */
function isBuilding(name) {
  try {
    return process.kill(Number.parseInt(name.slice(stagingName.length), 10), 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

// Code is loaded from this folder, so it must not be one that another user could have made.
function privateTemporaryDirectory() {
  const key = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const directory = join(tmpdir(), `mailroom-build-${key}-${process.getuid?.() ?? 'user'}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const found = lstatSync(directory);
  const isOurs =
    process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
  return found.isDirectory() && isOurs ? directory : mkdtempSync(join(tmpdir(), 'mailroom-build-'));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`built ${basename(await build(join(root, 'dist'), 0))}`);
}
