import { ruleNames } from '../../kernel/rule-names.ts';
import { pathError } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';

/**
 * Throws `E_PATH` where a path of a root, links followed, lies in something that steps must not
 * write or hand over.
 */
export type Guard = (disk: Disk, real: string, said: string) => void;

/**
 * Keeps the files of runs out of what the project trusts: its rules, its mail, its journal with
 * keys and locks, and every repository. Worktrees of threads lie there too, and are allowed.
 */
export function guardOf(project: string): Guard {
  return (disk, real, said) => {
    const path = real === '' ? disk.root : `${disk.root}/${real}`;
    const place = path.startsWith(`${project}/`) ? path.slice(project.length + 1).split('/') : [];
    const [first = '', second, tree] = place;
    const isOurs = ruleNames.includes(first) && !(first === '.mailroom' && second === 'worktrees' && tree);
    if (isOurs || path.split('/').includes('.git'))
      throw pathError(said, `it leads to ${path}, which no step may write or hand over`);
  };
}
