import { expect, it } from 'vitest';
import type { LeftOut } from '../order.ts';
import { group, outage, Player, type CrashWords } from '../playing.ts';
import type { EffectName } from './effects.ts';
import type { MailKind } from './kinds.ts';
import { mail } from './mail.ts';

const player = new Player<MailKind, EffectName>(mail);

it.each<[string, LeftOut, CrashWords<EffectName>, string]>([
  ['a sync', 'sync', ['correction', 'person.notify', 1, 'before', outage], 'launched twice'],
  ['the launch barrier', 'gate', ['correction', 'journal.append', 4, 'before', group], 'launched twice'],
  ['the sweep', 'sweep', ['turn running', 'turn.release', 1, 'after', group], 'left running'],
])('notices a controller that leaves out %s', async (_what, leftOut, crash, problem) => {
  const [whole, broken] = await player.compare(crash, leftOut);
  expect(whole).toEqual({ problems: [], unreached: false });
  expect(broken.problems.join('\n')).toContain(problem);
});

it('holds in a further sample of crashes', async () => {
  const failures = await player.failures([
    ['turn committing', 'journal.append', 5, 'during'],
    ['rotation', 'summary.write', 1, 'after', outage],
    ['torn line', 'journal.cut', 1, 'after', group],
    ['checkout undone', 'anchor.write', 2, 'before'],
  ]);
  expect(failures).toEqual([]);
});
