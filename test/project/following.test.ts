import { describe, expect, it } from 'vitest';
import { apply } from '../../src/mail/machine/apply.ts';
import type { MailEvent } from '../../src/mail/machine/event.ts';
import { emptyState } from '../../src/mail/machine/state.ts';
import { Journal } from '../../src/disk/journal.ts';
import { JournalReader } from '../../src/disk/journal-reader.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { Following } from '../../src/project/following.ts';

const stamps = { v: 1, at: 1_000 } as const;

function controlled(id: string, refusal: string | null): MailEvent {
  const reason = refusal === null ? null : ({ code: 'E_TARGET', text: refusal } as const);
  const command = { verb: 'pause', target: { kind: 'role', role: 'qa' }, now: false } as const;
  return { type: 'controlled', id, by: 'ada', command, refusal: reason, ...stamps };
}

function world() {
  const disk = new MemoryDisk(() => 1_000);
  const journal = new Journal<MailEvent>(disk, { segmentBytes: 1 });
  journal.read();
  return { journal, following: new Following(new JournalReader<MailEvent>(disk)) };
}

describe('Following', () => {
  it('knows nothing of a journal that is not there, and hears of it when it is', () => {
    const { journal, following } = world();
    expect(following.state()).toEqual(emptyState());
    journal.append([controlled('c1', null)]);
    expect([...following.state().paused.roles.keys()]).toEqual(['qa']);
  });

  it('hears what is added, and folds nothing twice', () => {
    const { journal, following } = world();
    journal.append([controlled('c1', null)]);
    expect(following.verdict('c1')).toEqual({ refusal: null });
    expect(following.verdict('c2')).toBe(undefined);
    journal.append([controlled('c2', 'there is no such role')]);
    expect(following.verdict('c2')).toEqual({ refusal: 'there is no such role' });
    expect(following.state().events).toBe(2);
  });

  it('begins again at a snapshot that took what it followed, and keeps the verdicts that it has heard', () => {
    const { journal, following } = world();
    const both = [controlled('c1', null), controlled('c2', null)];
    journal.append(both.slice(0, 1));
    expect(following.verdict('c1')).toEqual({ refusal: null });
    journal.append(both.slice(1));
    journal.append([controlled('c3', null)]);
    journal.snapshot(3, [...both, controlled('c3', null)].reduce(apply, emptyState()), 3);
    expect(following.state().events).toBe(3);
    expect(following.verdict('c1')).toEqual({ refusal: null });
  });
});
