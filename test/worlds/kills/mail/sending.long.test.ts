import { describe, expect, it } from 'vitest';
import { Player } from '../playing.ts';
import type { EffectName } from './effects.ts';
import type { MailKind } from './kinds.ts';
import { mail } from './mail.ts';

const player = new Player<MailKind, EffectName>(mail);

describe('a command of a person that is killed', () => {
  it.each(['sending', 'answering'])(
    'leaves nothing by halves, and says so when it is repeated: %s',
    async (kind) => {
      const failures = await player.failures([
        [kind, 'draft.open', 1, 'before'],
        [kind, 'draft.open', 1, 'after'],
        [kind, 'draft.write', 1, 'before'],
        [kind, 'draft.write', 1, 'during'],
        [kind, 'draft.write', 1, 'after'],
        [kind, 'letter.send', 1, 'before'],
        [kind, 'letter.send', 1, 'after'],
      ]);
      expect(failures).toEqual([]);
    },
    180_000,
  );
});
