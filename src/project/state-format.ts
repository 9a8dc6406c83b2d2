import metadata from '../../package.json' with { type: 'json' };
import type { Disk } from '../disk/disk.ts';
import { JournalReader } from '../disk/journal-reader.ts';
import { MailroomError } from '../kernel/errors.ts';
import type { MailEvent } from '../mail/machine/event.ts';

/**
 * The number of the form in which this version keeps the state of a project: journals, runs and
 * what lies beside them. It grows when an older version could no longer read that.
 */
const stateFormat = 1;

/** Written before anything of a later format; format 1 has no such file. */
const formatFile = '.mailroom/format';

const { version } = metadata;

/** Throws `E_NEWER` where a later version has written the state of the project. */
export function refuseNewer(disk: Disk): void {
  if (disk.look(formatFile) === null) return;
  const format = disk.read(formatFile, 64)?.toString('utf8').trim() ?? '';
  if (/^[1-9]\d{0,5}$/.test(format) && Number(format) <= stateFormat) return;
  throw new MailroomError(
    'E_NEWER',
    `a newer version of Mailroom wrote the state of this project; nothing was changed. ${formatFile} is \`${format}\`, and Mailroom ${version} reads up to ${String(stateFormat)}`,
    'install the newest version: npm install --global @mailroom-dev/mailroom@latest',
  );
}

/** Which other version worked in the project last, as an addition to a line; empty: this one. */
export function otherVersion(disk: Disk): string {
  const { records } = new JournalReader<MailEvent>(disk).read();
  const last = records.findLast(({ event }) => event.type === 'started')?.event;
  if (last?.type !== 'started' || last.version === version) return '';
  return `, last used by Mailroom ${last.version}; this is ${version}, which reads the same state`;
}
