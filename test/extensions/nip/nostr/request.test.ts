import { describe, expect, it } from 'vitest';
import type { NostrEvent } from '../../../../src/extensions/nip/letters/nostr-event.ts';
import { checkInputs, isReplayed, readAsked } from '../../../../src/extensions/nip/nostr/request.ts';

const base = [
  ['e', 'abc', '', 'workflow'],
  ['d', 'mine'],
];

function event(tags: readonly (readonly string[])[], kind = 5_920): NostrEvent {
  return { id: 'i', pubkey: 'p', sig: 's', kind, created_at: 1, content: '', tags };
}

describe('a request', () => {
  it('says which workflow, with what, for how much and how long', () => {
    const tags = [
      ...base,
      ['bid', '9007199254740991'],
      ['timeout', '60'],
      ['input', 'a', '{"b":1}'],
      ['input', 'c', '"d"'],
    ];
    expect(readAsked(event(tags))).toEqual({
      ok: true,
      value: {
        definition: 'abc',
        execution: 'mine',
        inputs: { a: { b: 1 }, c: 'd' },
        msats: 9_007_199_254_740_991,
        timeout: 60_000,
      },
    });
  });

  it.each<[string, NostrEvent, string]>([
    ['the wrong kind', event(base, 5_921), 'it is an event of kind 5921'],
    ['no workflow', event([['d', 'mine']]), 'it names no workflow'],
    [
      'another marker',
      event([
        ['e', 'abc', '', 'reply'],
        ['d', 'mine'],
      ]),
      'it names no workflow',
    ],
    ['no id', event([['e', 'abc', '', 'workflow']]), 'it has no id for the run'],
    [
      'a huge budget',
      event([...base, ['bid', '9007199254740992']]),
      '`9007199254740992` is not a valid budget',
    ],
    ['half a unit', event([...base, ['bid', '1.5']]), '`1.5` is not a valid budget'],
    ['less than nothing', event([...base, ['bid', '-1']]), '`-1` is not a valid budget'],
    ['no time', event([...base, ['timeout', '0']]), '`0` is not a timeout'],
    [
      'an input that is no JSON',
      event([...base, ['input', 'a', 'x']]),
      'the input `a` is not JSON with exact numbers: x',
    ],
    [
      'an input twice',
      event([...base, ['input', 'a', '1'], ['input', 'a', '2']]),
      'the input `a` is given twice',
    ],
  ])('is refused with %s', (_name, given, problem) => {
    const read = readAsked(given);
    expect(read.ok ? '' : read.problem).toContain(problem);
  });

  it('gets what is allowed when it names no budget, and is refused when it asks for more', () => {
    expect(readAsked(event(base), 500)).toMatchObject({ ok: true, value: { msats: 500 } });
    expect(readAsked(event([...base, ['bid', '500']]), 500)).toMatchObject({ value: { msats: 500 } });
    expect(readAsked(event([...base, ['bid', '501']]), 500)).toEqual({
      ok: false,
      problem: 'its budget of 501 msats is more than the 500 that are allowed',
    });
  });

  it('gives inputs of the types that the workflow declares, all of them and no others', () => {
    const type = { type: 'number', items: null, enum: null, required: true, description: null } as const;
    const asked = (inputs: Record<string, string | number>) => ({
      definition: '',
      execution: '',
      inputs,
      msats: null,
      timeout: null,
    });
    expect(checkInputs(asked({ n: 1 }), { n: type })).toEqual({ values: { n: 1 }, problems: [] });
    expect(checkInputs(asked({ n: '1', m: 2 }), { n: type }).problems).toEqual([
      'there is no input `m`',
      'the input `n` must be a number, not "1"',
    ]);
  });

  it('is followed once, and its author has one run of a name', () => {
    const first = event(base);
    expect(isReplayed(first, [])).toBe(false);
    expect(isReplayed(first, [first])).toBe(true);
    expect(isReplayed({ ...first, id: 'other' }, [first])).toBe(true);
    expect(isReplayed({ ...first, id: 'other', pubkey: 'other' }, [first])).toBe(false);
  });
});
