import { MailroomError } from '../kernel/errors.ts';
import { git } from '../git/git.ts';
import { repositoryFrom } from '../process/sandbox/repository-place.ts';
import type { Disk } from '../disk/disk.ts';

/** The folder of all state of a project. */
export const stateFolder = '.mailroom';

/**
 * The files of `.mailroom/` that git tracks, relative to the project: the repository's author may
 * have written them. Upper and lower case count as equal, as on some file systems. Empty without a
 * repository, or without a git that could have made it.
 */
export async function trackedState({ root }: Disk): Promise<string[]> {
  if (repositoryFrom(root) === null) return [];
  // Git otherwise refuses repositories of other users; their configuration runs nothing here.
  const list = ['-c', 'safe.directory=*', 'ls-files', '-z', '--', `:(icase)${stateFolder}`];
  const { exitCode, stdout } = await git(list, { cwd: root });
  return exitCode === 0 ? stdout.split('\0').filter((path) => path !== '') : [];
}

/**
 * Throws `E_TRACKED` if the repository's author may have written the journal, commands or
 * confirmations of the project.
 */
export async function refuseTrackedState(disk: Disk): Promise<void> {
  const [first, ...more] = await trackedState(disk);
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` and ${String(more.length)} more`;
  throw new MailroomError(
    'E_TRACKED',
    `git tracks ${first}${others}, so ${stateFolder}/ may come from the author of this repository; nothing was started`,
    `remove what they wrote with \`git rm -r ${stateFolder}\`; if you committed your own, keep it with \`git rm -r --cached ${stateFolder}\``,
  );
}
