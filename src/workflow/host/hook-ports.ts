import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { HookPorts } from './ports.ts';
import { requestControl } from '../../host/control.ts';
import type { RealDisk } from '../../disk/real-disk.ts';
import { runFolder, incomingFolder } from '../../host/run-mail.ts';
import type { RunFolder } from '../machine/run-folder.ts';

/** The disk ports of a run's hooks. */
export function hookPorts(disk: RealDisk, { run, workspace }: RunFolder): HookPorts {
  return {
    notify: (role, about, subject, body) => {
      const id = noticeId(run, about);
      requestControl(disk, id, { kind: 'notice', id, run, role, subject, body }, incomingFolder);
    },
    log: (on, line) => disk.write(join(join(runFolder(run), 'hooks', on), 'notify'), `${line}\n`),
    places: (on) => {
      const folder = join(runFolder(run), 'hooks', on);
      disk.makeFolder(folder);
      return { workspace, folder: join(disk.root, folder) };
    },
  };
}

/** Deterministic for the same notice: a uuid v7 with the run's time. */
function noticeId(run: string, about: string): string {
  const hash = createHash('sha256').update(`${run}\nnotice\n${about}`).digest('hex');
  const time = /^[\da-f]{8}-[\da-f]{4}/.exec(run)?.[0] ?? `${hash.slice(20, 28)}-${hash.slice(28, 32)}`;
  return `${time}-7${hash.slice(0, 3)}-a${hash.slice(3, 6)}-${hash.slice(6, 18)}`;
}
