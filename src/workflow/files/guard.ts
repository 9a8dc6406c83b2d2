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
 * `elsewhere`: the other files and folders that rules are read from, absolute, links followed.
 */
export function guardOf(project: string, elsewhere: readonly string[] = []): Guard {
  const rules = [...ruleNames.map((name) => `${project}/${name}`), ...elsewhere];
  return (disk, real, said) => {
    const path = real === '' ? disk.root : `${disk.root}/${real}`;
    const isRule = rules.some((rule) => path === rule || path.startsWith(`${rule}/`));
    const isOurs = isRule && !path.startsWith(`${project}/.mailroom/worktrees/`);
    if (isOurs || path.split('/').includes('.git'))
      throw pathError(said, `it leads to ${path}, which no step may write or hand over`);
  };
}
