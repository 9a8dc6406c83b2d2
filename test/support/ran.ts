import { execa } from 'execa';

/** How a program ended, and what it wrote. */
export interface Ran {
  /** Null: a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, with these variables and no others. */
export async function ran(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Ran> {
  const { exitCode, signal, stdout, stderr } = await execa(program, args, {
    cwd,
    env,
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    stdin: 'ignore',
  });
  return { code: exitCode ?? null, signal: signal ?? null, stdout, stderr };
}
