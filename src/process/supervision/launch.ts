import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { wrap } from '../sandbox/containment.ts';
import { ownProgram, usablePath } from '../sandbox/own-programs.ts';
import type { End, StartEvents } from '../starting/here.ts';
import { start, type Started } from '../starting/start.ts';
import type { ProcessSpec } from '../types.ts';

/**
 * Starts the process as leader of a new session; events may come before this returns. Throws if its
 * input or its outputs cannot be opened.
 */
export function launch(spec: ProcessSpec, events: StartEvents): Started {
  const { cwd, env, mark, launchBarrier: barrier } = spec;
  const argv = wrap(spec.containment, spec.argv, barrier, cwd);
  const input = openInput(spec.stdin, spec.stdoutFile);
  return start({ file: locate(argv[0]!, env), argv, cwd, env, mark, input, byName: true, barrier }, events);
}

/**
 * The path of bash, which runs every script, found once; the system would search for it at each
 * start. It does where `PATH` is not the host's.
 */
function locate(program: string, { PATH }: ProcessSpec['env']): string {
  const isHosts = PATH === usablePath(process.env['PATH'] ?? '');
  return program === 'bash' && isHosts ? ownProgram(program) : program;
}

let count = 0;

/**
 * A file descriptor from which a program reads this text; the caller closes it. It is an unlinked
 * file, created next to `besides`, and not a pipe: Node's pipes are sockets, with which
 * `/dev/stdin` cannot be opened and bash takes itself for a remote login and runs `~/.bashrc`.
 * Throws if it cannot be written.
 */
function openInput(text: string, besides: string): End {
  if (text === '') return 'ignore';
  const file = join(dirname(besides), `.input-${process.pid}-${count++}`);
  const writer = openSync(file, 'wx', 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(writer, bytes, at);
    return openSync(file, 'r');
  } finally {
    closeSync(writer);
    unlinkSync(file);
  }
}
