import { readFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

// Optimizing what runs a few thousand times costs more than it gains here, and every page that the compiler writes to is
// copied at the next start of a process: V8 waits four times as long with it. The flag belongs to the V8 of Node 20.
if (process.versions.v8.startsWith('11.')) setFlagsFromString('--interrupt-budget=540672');

/**
 * Loads the built program and returns what it exports. To compile it takes longer than to start with it, so what V8 made of
 * it is kept: by Node itself from 22 on, and by the build for Node 20. V8 leaves aside what another version of it made.
 */
export function loadProgram(file) {
  if (module.enableCompileCache === undefined) return compileProgram(file).exports;
  module.enableCompileCache();
  return createRequire(file)(file);
}

/** The same with the script, of which V8 can be asked what it has compiled. */
export function compileProgram(file) {
  // esbuild escapes what is not ASCII.
  const text = readFileSync(file, 'latin1');
  const script = new Script(`(function(exports,require,module){${text}\n})`, {
    filename: file,
    cachedData: compiledBefore(file, text),
  });
  const loaded = { exports: {} };
  script.runInThisContext()(loaded.exports, createRequire(file), loaded);
  return { exports: loaded.exports, script };
}

/** What V8 compares is hardly more than the length of the text, so the program says in its first line what belongs to it. */
function compiledBefore(file, text) {
  const name = /^\/\/ ([\w-]+\.cache)\n/.exec(text)?.[1];
  if (name === undefined) return undefined;
  try {
    return readFileSync(join(dirname(file), name));
  } catch {
    return undefined;
  }
}
