import { describe, expect, it } from 'vitest';
import { runs } from '../../../support/fast-check.ts';
import { peace } from '../../../worlds/simulation/faults.ts';
import { Random } from '../../../worlds/simulation/random.ts';
import { named } from '../../../worlds/simulation/mail/protocol-choice.ts';
import { begin } from '../../../worlds/simulation/mail/schedule.ts';
import type { Hosts } from './hosts.ts';
import { effects, type Death, type EffectName, type Moment } from './fatal.ts';

/*
 * The kill matrix of the queue: the program of a host is killed at each effect of the queue, and started again. Here in
 * virtual time, with the queue that keeps the contract of Redis: what goes over a connection to that has
 * no moments that can be told apart.
 */

const workerEffects: readonly EffectName[] = ['job.take', 'job.claim', 'end.send', 'job.finish', 'job.leave'];

/** What must have happened before: the controller dies once a worker has begun. */
const earlier: Partial<Record<EffectName, readonly Death[]>> = {
  'job.adopt': [{ effect: 'job.grant', moment: 'during' }],
};

const rows = (Object.keys(effects) as EffectName[]).flatMap((effect) => {
  const moments: readonly Moment[] = effect.startsWith('note.')
    ? ['before', 'after']
    : ['before', 'during', 'after'];
  return moments.map((moment) => [moment, effect, effects[effect]] as const);
});

describe('a host that is killed and started again loses nothing, and does nothing twice', () => {
  it.each(rows)('%s %s, where it %s', async (moment, effect) => {
    for (let seed = 1; seed <= runs(1); seed += 1) {
      const protocol = named('away');
      const schedule = begin(new Random(seed), { name: 'away', protocol }, peace);
      const { world } = schedule;
      world.calm = true;
      const hosts = world.away as Hosts;
      const { fatal } = hosts.shared;
      fatal.plan([...(earlier[effect] ?? []), { effect, moment }]);
      let isAsked = effect !== 'job.leave';
      fatal.happened = (what) => {
        if (what !== 'job.grant' || isAsked) return;
        isAsked = true;
        hosts.stopHolders();
      };
      await world.start();
      for (const name of ['one', 'two', 'three', 'four'])
        world.disk.plant(`agents/backend/inbox/${name}.md`, `---\ntype: task\n---\nTask ${name}\n`);
      const problems: string[] = [];
      await schedule.rest(problems);
      const events = world.records().map(({ event }) => event);
      const types = events.map(({ type }) => type);
      expect({
        seed,
        problems,
        judged: schedule.judge().problems,
        world: world.problems,
        left: fatal.left,
      }).toEqual({
        seed,
        problems: [],
        judged: [],
        world: [],
        left: [],
      });
      expect(types).toContain('committed');
      // What a worker has begun is not repeated because its controller was killed.
      if (!workerEffects.includes(effect)) expect(types).not.toContain('attempt-failed');
    }
  });
});
