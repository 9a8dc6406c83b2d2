import { readFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

// Optimizing code that runs a few thousand times costs more than it gains in a process this short,
// and the next process start copies every page that the compiler has written: V8 waits four times
// as long. The flag belongs to the V8 of Node 20.
if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=540672');

/**
 * Loads the built program and returns its exports. Compiling takes longer than starting, so the
 * compiled code is cached: by Node itself from version 22 on, by the build for Node 20. V8 ignores
 * a cache that another version of V8 made.
 */
export function loadProgram(file) {
  if (module.enableCompileCache === undefined) return compileProgram(file).exports;
  module.enableCompileCache();
  return createRequire(file)(file);
}

/** Like `loadProgram`, and also returns the script, from which V8 can create its cache. */
export function compileProgram(file) {
  // esbuild escapes every character outside ASCII.
  const text = readFileSync(file, 'latin1');
  const script = new Script(`(function(exports,require,module){${text}\n})`, {
    filename: file,
    cachedData: compiledBefore(file, text),
  });
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, createRequire(file), loaded);
  return { exports: loaded.exports, script };
}

/**
 * V8 checks little more than the length of the source, so the program's first line names its cache
 * file.
 */
function compiledBefore(file, text) {
  const name = /^\/\/ ([\w-]+\.cache)\n/.exec(text)?.[1];
  if (name === undefined) return undefined;
  try {
    return readFileSync(join(dirname(file), name));
  } catch {
    return undefined;
  }
}
