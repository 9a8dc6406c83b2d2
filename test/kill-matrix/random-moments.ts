import { setTimeout as after } from 'node:timers/promises';
import { finished } from '../support/project.ts';
import type { Random } from '../simulation/random.ts';
import { kinds, type Kind } from './kinds.ts';
import type { ContainmentName } from './order.ts';
import type { Stage } from './play.ts';

/** Work of a kind, and how long each of some controllers lives before it is killed from outside. */
export interface RandomRun {
  readonly kind: Kind;
  readonly containment: ContainmentName;
  readonly lives: readonly number[];
}

/** In milliseconds: longer than a controller takes to start and to get a turn done on a busy machine. */
const longest = 1_500;

export function randomRun(random: Random, containments: readonly ContainmentName[]): RandomRun {
  const lives = Array.from({ length: 1 + random.below(3) }, () => random.below(longest));
  return { kind: random.pick(kinds), containment: random.pick(containments), lives };
}

/** Kills controllers at moments that nothing of theirs decides, starts again, and says what is wrong then. */
export async function playRandom(stage: Stage, run: RandomRun): Promise<readonly string[]> {
  const place = await stage.open(run.kind, run.containment);
  try {
    for (const life of run.lives) {
      const child = place.start({ kill: null });
      const end = finished(child);
      await Promise.race([after(life), end]);
      child.kill('SIGKILL');
      await end;
    }
    return await stage.settle(place, run.kind, null);
  } finally {
    place.discard();
  }
}

export function describeRandom({ kind, containment, lives }: RandomRun): string {
  return `${kind.name}, ${containment}: killed after ${lives.map(String).join(', ')} ms`;
}
