import { setTimeout as after } from 'node:timers/promises';
import { finished } from '../../support/project.ts';
import type { Random } from '../simulation/random.ts';
import { containmentsOf, type Kind } from './matrix.ts';
import type { ContainmentName } from './order.ts';
import type { Stage } from './stage.ts';

/** Work of a kind, and how long the program lives, one start after the other, before it is killed from outside. */
export interface RandomCrash<K extends Kind = Kind> {
  readonly kind: K;
  readonly containment: ContainmentName;
  readonly lives: readonly number[];
}

/** In milliseconds: longer than the program takes to start and to get something done on a busy machine. */
const longest = 1_500;

export function randomCrash<K extends Kind>(
  random: Random,
  kinds: readonly K[],
  containments: readonly ContainmentName[],
): RandomCrash<K> {
  const lives = Array.from({ length: 1 + random.below(3) }, () => random.below(longest));
  const kind = random.pick(kinds);
  return { kind, containment: random.pick(containmentsOf(kind, containments)), lives };
}

/** Kills the program at moments that nothing of it decides, starts it again, and says what is wrong then. */
export async function playRandom<K extends Kind>(
  stage: Stage<K>,
  { kind, containment, lives }: RandomCrash<K>,
): Promise<readonly string[]> {
  const place = await stage.open(kind, containment);
  try {
    for (const life of lives) {
      const child = place.start(stage.matrix.argv(kind, place), { kill: null });
      const end = finished(child);
      await Promise.race([after(life), end]);
      child.kill('SIGKILL');
      await end;
    }
    return await stage.settle(place, kind, null);
  } finally {
    await place.discard();
  }
}

export function describeRandom({ kind, containment, lives }: RandomCrash): string {
  return `${kind.name}, ${containment}: killed after ${lives.map(String).join(', ')} ms`;
}
