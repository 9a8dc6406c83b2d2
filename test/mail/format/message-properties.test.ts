import fc from '../../support/fast-check.ts';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/kernel/json.ts';
import type { Message } from '../../../src/mail/format/message.ts';
import { formatMessage, parseEnvelope, parseMessage } from '../../../src/mail/format/read-message.ts';

/** JSON as a journal can hold it: no negative zero; and without the one key that is refused. */
const json = fc
  .jsonValue({ maxDepth: 4 })
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')) as Json);
const word = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.string({ minLength: 1, unit: 'binary' }),
  fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/),
);
const strings = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.lorem());
/** A key that is not near one of ours: those are refused. */
const extraKey = word.map((key) => `x-${key}`);
const noReturn = (text: string): boolean => !text.includes('\r\n');

const commit = fc.stringMatching(/^[0-9a-f]{40}$/);
const landed = fc.record({
  branch: fc.stringMatching(/^[a-z][a-z/-]{0,12}$/),
  commit,
  before: fc.option(commit),
});

const anyMessage: fc.Arbitrary<Message> = fc.record({
  id: fc.uuid({ version: 7 }),
  type: word,
  from: word,
  to: fc.uniqueArray(word, { minLength: 1, maxLength: 4 }),
  thread: fc.oneof(fc.uuid({ version: 7 }), word),
  inReplyTo: fc.option(fc.uuid({ version: 7 })),
  subject: strings,
  created: fc.nat({ max: 4e12 }),
  work: fc.option(fc.record({ commit, branch: word, landed: fc.option(landed) })),
  attachments: fc.array(
    fc.stringMatching(/^[a-z][ -.0-~]{0,20}$/).filter((path) => !/\\|\.\.|:/.test(path)),
    { maxLength: 3 },
  ),
  fields: fc
    .dictionary(
      word.filter((key) => key !== '__proto__'),
      json,
      { maxKeys: 5 },
    )
    .map((fields) => ({ ...fields })),
  extra: fc.dictionary(extraKey, json, { maxKeys: 3 }).map((extra) => ({ ...extra })),
  body: strings.filter(noReturn),
});

describe('for every message', () => {
  test('what is written is what is read', () => {
    fc.assert(
      fc.property(anyMessage, (any) => {
        const text = formatMessage(any);
        const { id: _id, created: _created, work: _work, ...said } = any;
        expect(parseMessage(text, 'm.md')).toEqual({
          ok: true,
          value: { ...said, frontMatter: true },
          warnings: [],
        });
        expect(parseEnvelope(text, 'm.md')).toEqual({ ok: true, value: any, warnings: [] });
        expect(text.split('\n').filter((line) => line.startsWith('subject: '))).not.toHaveLength(0);
      }),
      { numRuns: 150 },
    );
  });

  test('any text is read or refused, and nothing throws', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '---',
        'type: task',
        'to: [a',
        'fields:',
        '  a: &x',
        '  b: *x',
        '? ',
        '- ',
        '"',
        "'",
        '{',
        '|',
        '%YAML',
      ),
      fc.string(),
      fc.string({ unit: 'binary' }),
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(line).map((lines) => `---\n${lines.join('\n')}\n---\n`),
      fc.uint8Array().map((bytes) => new TextDecoder().decode(bytes)),
    );
    fc.assert(
      fc.property(text, (any) => {
        const result = parseMessage(any, 'm.md');
        if (!result.ok) expect(result.problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 800 },
    );
  });
});
