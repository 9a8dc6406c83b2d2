const {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { createRequire, enableCompileCache } = require('node:module');
const { dirname, join } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

// What few commands load is compressed in the package: it is a file of its own.
require.extensions['.br'] = (part, file) => {
  const text = require('node:zlib').brotliDecompressSync(readFileSync(file)).toString('latin1');
  // eslint-disable-next-line no-underscore-dangle -- the name of Node
  part._compile(text, file, 'commonjs');
};

/** Whether this is the V8 of Node 20, to which the flags below belong. */
const isV8OfNode20 = process.versions.v8.startsWith('11.');

// Optimizing code that runs a few thousand times costs more than it gains in a process this short,
// and the next process start copies every page that the compiler has written: V8 waits four times
// as long.
if (isV8OfNode20) setFlagsFromString('--interrupt-budget=540672');

/** Commands that start one process after the other. */
const starting = ['run', 'resume', 'retry'];

/**
 * How much the memory for new objects grows each time. Where it stays small, a process takes 20 MB
 * less, whose pages each start of another process would copy; a command that only reads and checks
 * collects garbage more often then.
 */
function growYoungGeneration(factor) {
  if (isV8OfNode20) setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

/**
 * Loads the built program, or what of it answers these arguments, and returns its exports. Without
 * an environment it is not the part for a turn.
 * Compiling takes longer than starting, so the compiled code is cached: by Node itself from version
 * 22 on; for Node 20 by the build of a checkout, and by the first process of an installed package.
 * V8 ignores a cache that another version of V8 made.
 */
function loadProgram(program, argv, environment = {}) {
  const name = asksForHelp(argv) ? 'help.cjs' : servesTurn(argv, environment) ? 'tools.cjs' : undefined;
  const part = name && join(dirname(program), name);
  const file = part && existsSync(part) ? part : program;
  if (enableCompileCache === undefined) {
    const { exports, script, cache } = compileProgram(file);
    if (starting.includes(argv[0])) growYoungGeneration(1);
    if (cache !== undefined && script.cachedDataRejected !== false)
      process.once('exit', () => writeCache(cache, script));
    return exports;
  }
  enableCompileCache();
  return createRequire(file)(file);
}

/** Whether these are the arguments of a plain request for help or the version. */
function asksForHelp(argv) {
  const [first = '--help', second, ...others] = argv;
  if (second === undefined) return ['--help', '-h', '--version', '-V'].includes(first);
  return others.length === 0 && /^\w/.test(first) && ['--help', '-h'].includes(second);
}

/** Whether an agent's program starts the MCP server of its turn. */
function servesTurn(argv, { MAILROOM_TURN, MAILROOM_THREAD, MAILROOM_OUTBOX }) {
  return argv.join(' ') === 'mcp' && Boolean(MAILROOM_TURN && MAILROOM_THREAD && MAILROOM_OUTBOX);
}

/** Does nothing where the package cannot be written: that is no reason to fail. */
function writeCache(cache, script) {
  const staged = `${cache}.${process.pid}`;
  // V8 ignores a cache that was made under other flags.
  growYoungGeneration(2);
  try {
    const file = openSync(staged, 'wx');
    writeFileSync(file, script.createCachedData());
    closeSync(file);
    renameSync(staged, cache);
  } catch {
    rmSync(staged, { force: true });
  }
}

const opening = '(function(exports,require,module){';

/**
 * Like `loadProgram`, and also returns the script, from which V8 can create its cache, and the file
 * of that cache; undefined: the program names none.
 */
function compileProgram(file) {
  // Joined before it becomes a string: V8 would copy a string that is made of several.
  const bytes = Buffer.concat([Buffer.from(opening), readFileSync(file), Buffer.from('\n})')]);
  // esbuild escapes every character outside ASCII.
  const text = bytes.toString('latin1');
  // V8 checks little more than the length of the source, so the first line names the cache file.
  const name = /^.*\/\/ ([\w-]+\.cache)\n/.exec(text)?.[1];
  const cache = name && join(dirname(file), name);
  const script = new Script(text, { filename: file, cachedData: cache && compiledBefore(cache) });
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, createRequire(file), loaded);
  return { exports: loaded.exports, script, cache };
}

function compiledBefore(cache) {
  try {
    return readFileSync(cache);
  } catch {
    return undefined;
  }
}

module.exports = { loadProgram, compileProgram };
