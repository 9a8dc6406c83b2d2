import process from 'node:process';
import { MailroomError } from '../kernel/errors.ts';

/** Throws `E_USAGE` where the folder was deleted. */
export function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new MailroomError(
      'E_USAGE',
      'the current folder does not exist any more',
      'change to another one: cd',
    );
  }
}
