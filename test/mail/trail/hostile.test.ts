import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import type { MailEvent } from '../../../src/mail/machine/event.ts';
import type { Projection, Turn } from '../../../src/mail/machine/state.ts';
import { trailEntry } from '../../../src/mail/trail/entries.ts';
import { at, copy, event, format, hostileText, result, sent, turn } from './samples.ts';
import { commitsOf, repository, trailOf } from './support.ts';

const thread = '01900000-0000-7000-8000-000000000001';

function entryOf(happened: MailEvent, pictures: readonly Projection[], before: Turn | null = null) {
  return trailEntry(
    7,
    happened,
    () => pictures,
    before,
    () => undefined,
    format,
  );
}

describe('what others wrote', () => {
  const shown = [copy('qa', { at: 'inbox' })];
  const subjectOf = (subject: string) =>
    entryOf(event({ type: 'accepted', sent: sent({ subject }) }), shown)?.subject ?? '';

  it.each([
    ['a line of its own', 'Fine\n\nSeq: 99', 'Fine\\n\\nSeq: 99'],
    ['a carriage return', 'Fine\r\nSeq: 99', 'Fine\\r\\nSeq: 99'],
    ['a line separator', 'Fine\u2028Seq: 99', 'Fine\\u2028Seq: 99'],
    ['an escape to the terminal', 'Fine\u001b[2J', 'Fine\\u001b[2J'],
    ['a change of direction', 'Fine\u202eenif', 'Fine\\u202eenif'],
    ['half a character', 'Fine\ud800', 'Fine\\ud800'],
    ['nothing but blanks', ' \t ', ''],
  ])('cannot hide or forge anything: %s', (_, subject, shownAs) => {
    expect(subjectOf(subject)).toBe(`engineer → qa: review-request${shownAs === '' ? '' : ` — ${shownAs}`}`);
  });

  it('keeps characters that are made of several, and cuts none in two', () => {
    expect(subjectOf('👩‍💻 works')).toContain('👩‍💻 works');
    expect(subjectOf('𝒳'.repeat(300))).toMatch(/— 𝒳{99}…$/u);
  });

  it('is bounded: a subject, a reason, a list of recipients', () => {
    const to = Array.from({ length: 50 }, (_, index) => `role-${String(index)}`);
    const long = 'x'.repeat(1_000_000);
    const all = [sent({ to, subject: long }), sent({ id: 'b' })];
    const subject = entryOf(event({ type: 'committed', turn: 't12', sent: all }), shown, turn())?.subject;
    expect(subject).toBe(`engineer → role-0, role-1, role-2 +47: review-request — ${'x'.repeat(99)}… (+1)`);
    const names = Array.from({ length: 3 }, (_, index) => `${String(index)}${'n'.repeat(50)}`);
    const many = [sent({ to: names, subject: long }), ...all];
    const cut = entryOf(event({ type: 'committed', turn: 't12', sent: many }), shown, turn())?.subject ?? '';
    expect(cut).toMatch(/x… \(\+2\)$/);
    expect(cut).toHaveLength(200);
    const failed = event({
      type: 'thread-failed',
      thread,
      reason: { code: 'E_TURN', text: long },
      notices: [],
    });
    expect(entryOf(failed, shown)?.subject.length).toBeLessThanOrEqual(200);
  });

  it('is one line in the subject and in every trailer, whatever it is', () => {
    const oneLine = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u;
    fc.assert(
      fc.property(hostileText, hostileText, hostileText, hostileText, (subject, role, model, reference) => {
        const written = sent({ subject, from: role, to: [role], id: reference, inReplyTo: reference });
        const phase = {
          is: 'returned',
          since: at,
          result: { ...result, model },
          checks: [],
          met: [],
          runs: 0,
        } as const;
        const committed = event({ type: 'committed', turn: 't12', sent: [written] });
        const entry = entryOf(committed, shown, turn({ phase, provider: model }));
        const lines = [entry?.subject ?? '\n', ...(entry?.trailers ?? []).map(([, value]) => value)];
        for (const line of lines) expect(line).toMatch(oneLine);
        expect(lines.every((line) => line === line.trim())).toBe(true);
        expect(lines.slice(1)).not.toContain('');
        expect(entry?.trailers.filter(([key]) => key === 'Seq')).toEqual([['Seq', '7']]);
      }),
    );
  });

  it('cannot tell git anything', async () => {
    const folder = repository();
    const samples = fc.sample(fc.tuple(hostileText, hostileText, hostileText), { numRuns: 60, seed: 7 });
    const hostileEntries = samples.flatMap(([subject, id, model], index) => {
      const happened = event({
        type: 'committed',
        turn: 't12',
        sent: [sent({ subject, id, thread: model })],
      });
      const phase = {
        is: 'returned',
        since: at,
        result: { ...result, model },
        checks: [],
        met: [],
        runs: 0,
      } as const;
      const pictures = [copy('qa', { at: 'inbox' }, { subject, id: 'abcdef', body: subject })];
      return (
        trailEntry(
          index + 1,
          happened,
          () => pictures,
          turn({ phase, thread: id }),
          () => undefined,
          format,
        ) ?? []
      );
    });
    await trailOf(folder).append(hostileEntries);
    expect(commitsOf(folder).map(({ trailers }) => trailers)).toEqual(
      hostileEntries.map(({ trailers }) => trailers),
    );
    expect(await trailOf(folder).position()).toMatchObject({ seq: 60 });
  });
});
