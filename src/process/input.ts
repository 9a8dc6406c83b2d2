import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

let count = 0;

/**
 * A file descriptor from which a program reads this text; the caller closes it. It is a file without a name, made besides the
 * given one, and not a pipe: Node makes pipes of sockets, with which `/dev/stdin` cannot be opened and bash takes itself
 * for a remote login and runs `~/.bashrc`. Throws when it cannot be written.
 */
export function openInput(text: string, besides: string): number {
  if (text === '') return openSync('/dev/null', 'r');
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
