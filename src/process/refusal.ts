import { closeSync, constants, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../kernel/errors.ts';
import { ownValue } from '../kernel/own.ts';
import { findProgram, isFolder, locateProgram } from './proc.ts';

/** Why a program cannot be started, and the exit code that a shell would give. */
export interface Refusal {
  readonly exitCode: number | null;
  readonly error: string;
}

/**
 * Checks before the start, because a failed spawn does not distinguish a missing folder from a
 * missing program.
 */
export function whyNotStart(
  argv: readonly string[],
  where: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Refusal | null {
  const program = argv[0];
  if (program === undefined || program === '') return { exitCode: null, error: 'no command was given' };
  if (!isFolder(where.cwd)) return { exitCode: null, error: `working directory not found: ${where.cwd}` };
  const { state, file } = locateProgram(program, where.env['PATH'], where.cwd);
  switch (state) {
    case 'found':
      return file === null ? null : withoutInterpreter(program, file, where.cwd);
    case 'missing':
      return { exitCode: 127, error: `command not found: ${program}` };
    case 'not-executable':
      return { exitCode: 126, error: `command not executable: ${program}` };
  }
}

/** The part of a file that the system reads to find its interpreter, in bytes. */
const firstBytes = 256;

/**
 * A script whose first line names a missing interpreter; the system reports only that a file was
 * not found.
 */
function withoutInterpreter(program: string, file: string, cwd: string): Refusal | null {
  const [, interpreter] = /^#![ \t]*([^\s\0]+)/.exec(beginningOf(file)) ?? [];
  if (interpreter === undefined || findProgram(resolve(cwd, interpreter), undefined, cwd) === 'found')
    return null;
  return { exitCode: 127, error: `interpreter not found: the first line of ${program} names ${interpreter}` };
}

/** Empty if it cannot be read, which does not decide whether it can be run. */
function beginningOf(file: string): string {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const bytes = Buffer.alloc(firstBytes);
      return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, firstBytes, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return '';
  }
}

const spawnErrors: Readonly<Record<string, string>> = {
  E2BIG: 'the command line and environment are too long for the system',
  EAGAIN: 'the system has no room for another process (EAGAIN)',
  ENOMEM: 'the system has no room for another process (ENOMEM)',
  EMFILE: 'too many files are open to start another process (EMFILE)',
  ENFILE: 'too many files are open to start another process (ENFILE)',
  ERR_INVALID_ARG_VALUE: 'a command, its arguments and its environment must not contain NUL bytes',
};

/** What these errors mean for a program; for a file of Mailroom they keep their usual meaning. */
const programErrors: Readonly<Record<string, string>> = {
  EACCES: 'the system does not allow it to be executed',
  ENOENT: 'the system found the program, but not the loader that it names',
  ENOEXEC: 'the system knows no such kind of program file',
};

/** Describes the system's error after a refused start of a process. */
export function describeSpawnError(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return messageOf(error);
  const isProgram = 'syscall' in error && String(error.syscall).startsWith('spawn');
  const code = String(error.code);
  return (
    ownValue(spawnErrors, code) ?? (isProgram ? ownValue(programErrors, code) : undefined) ?? messageOf(error)
  );
}
