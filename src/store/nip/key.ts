import { randomBytes } from 'node:crypto';
import { MailroomError } from '../../core/errors.ts';
import type { Disk } from '../disk.ts';

const file = '.mailroom/nostr.key';
const pattern = /^[0-9a-f]{64}\n?$/;

/** The secret key of the project, 64 hexadecimal digits; made, for nobody else to read, when there is none. */
export function projectKey(disk: Disk): string {
  const bytes = disk.read(file, 1_024);
  if (bytes === null) {
    const key = randomBytes(32).toString('hex');
    disk.write(file, `${key}\n`, { mode: 0o600, sync: true });
    return key;
  }
  const text = Buffer.from(bytes).toString('utf8');
  if (pattern.test(text)) return text.trim();
  throw new MailroomError('E_FILE', `${file} holds no key`, 'move it away, and a new one is made');
}
