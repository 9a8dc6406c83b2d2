import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../place.ts';
import type { RunKind } from './kinds.ts';

/** What must hold of a project whose branch work has landed on: once, and its checkout has followed. */
export function checkLanded({ landed }: RunKind, place: Place): string[] {
  if (landed === undefined) return [];
  const wrong = Object.entries(landed).filter(([path, text]) => place.read(path) !== text);
  const there = place.git('ls-tree', '-r', '--name-only', 'main').split('\n');
  const lost = Object.entries(landed).filter(
    ([path, text]) => !there.includes(path) || place.git('show', `main:${path}`) !== text.trim(),
  );
  const status = place.git('status', '--porcelain');
  const count = place.git('rev-list', '--count', 'main');
  return [
    ...wrong.map(([path]) => `${path} does not lie in the project as it landed`),
    ...lost.map(([path]) => `${path} has not landed`),
    ...(status === '' ? [] : [`git status: ${status}`]),
    ...(count === '2' ? [] : [`main has ${count} commits, not 2`]),
    ...(existsSync(join(place.root, '.git/index.lock')) ? ['the index is locked'] : []),
  ];
}
