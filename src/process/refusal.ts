import { messageOf } from '../core/errors.ts';
import { findProgram, isFolder } from './proc.ts';

/** Why a program cannot be started, in words, and the exit code that a shell would give. */
export interface Refusal {
  readonly exitCode: number | null;
  readonly error: string;
}

/** Looks before the start, because a failed spawn does not tell a missing folder from a missing program. */
export function whyNotStart(
  argv: readonly string[],
  where: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Refusal | null {
  const program = argv[0];
  if (program === undefined || program === '') return { exitCode: null, error: 'no command was given' };
  if (!isFolder(where.cwd)) return { exitCode: null, error: `working directory not found: ${where.cwd}` };
  switch (findProgram(program, where.env['PATH'], where.cwd)) {
    case 'found':
      return null;
    case 'missing':
      return { exitCode: 127, error: `command not found: ${program}` };
    case 'not-executable':
      return { exitCode: 126, error: `command not executable: ${program}` };
  }
}

/** What the system said when it refused to start a process. */
export function describeSpawnError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'E2BIG') return 'the command line and environment are too long for the system';
  if (code === 'EAGAIN' || code === 'ENOMEM') return 'the system has no room for another process';
  if (code === 'EMFILE' || code === 'ENFILE') return 'too many files are open to start another process';
  return messageOf(error);
}
