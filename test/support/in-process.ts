import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Terminal } from '../../src/cli/terminal.ts';
import { FakeTerminal } from '../cli/fake-terminal.ts';
import type { Ran } from './project.ts';

/** The folder of the program: of the one that the tests have installed, else of this checkout. */
export const packageRoot =
  process.env['MAILROOM_INSTALLED'] ?? fileURLToPath(new URL('../..', import.meta.url));
export const program = join(packageRoot, 'bin', 'mailroom');

/** The environment of the tests, while commands here have another one. */
let own: NodeJS.ProcessEnv | null = null;
let running = 0;
const { argv, execArgv } = process;

export function ownEnvironment(): NodeJS.ProcessEnv {
  return own ?? process.env;
}

/** Commands here have the environment of the process, of which there is one; false: others have another. */
function enter(environment: NodeJS.ProcessEnv): boolean {
  if (running > 0 && !isSame(process.env, environment)) return false;
  running += 1;
  if (running > 1) return true;
  own = process.env;
  process.env = environment;
  // With these it starts itself again.
  process.argv = [process.execPath, program];
  process.execArgv = [];
  return true;
}

function leave(): void {
  running -= 1;
  if (running > 0 || own === null) return;
  process.env = own;
  own = null;
  Object.assign(process, { argv, execArgv });
}

function isSame(one: NodeJS.ProcessEnv, other: NodeJS.ProcessEnv): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** What the built program exports. */
interface Built {
  main(
    argv: readonly string[],
    packageRoot: string,
    here: { readonly environment: NodeJS.ProcessEnv; readonly cwd: string; readonly terminal: Terminal },
  ): Promise<number>;
}

let loaded: Built | null = null;

/** The built program. Its help is a file of its own. */
function load(): Built {
  const require = createRequire(import.meta.url);
  const { loadProgram } = require(join(packageRoot, 'bin/program.cjs')) as {
    loadProgram: (path: string, argv: readonly string[]) => Built;
  };
  return loadProgram(join(packageRoot, 'dist/app.cjs'), ['status']);
}

/** A terminal that is a pipe, and whose clock is that of the system. */
class Pipe extends FakeTerminal {
  override piped = (): boolean => true;
  override every = (milliseconds: number, act: () => void): (() => void) => {
    const timer = setInterval(act, milliseconds);
    return () => clearInterval(timer);
  };
}

/**
 * Runs the built program in this process. Null: it needs one of its own, for options of Node, or because another command
 * runs here with another environment.
 */
export async function runHere(
  args: readonly string[],
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<Ran | null> {
  if (environment['NODE_OPTIONS'] !== ownEnvironment()['NODE_OPTIONS'] || !enter(environment)) return null;
  try {
    loaded ??= load();
    const terminal = new Pipe(Date.now);
    const code = await loaded.main(args, packageRoot, { environment, cwd, terminal });
    return { code, signal: null, stdout: terminal.out, stderr: terminal.err };
  } finally {
    leave();
  }
}
