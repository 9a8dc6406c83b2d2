import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Draft, Message } from '../../../src/mail/format/message.ts';
import { formatMessage, parseEnvelope, parseMessage } from '../../../src/mail/format/read-message.ts';

const id = '01930f5e-7b1c-7def-8a3b-0123456789ab';

function read(text: string): Draft {
  const result = parseMessage(text, 'm.md');
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.value;
}

/** Every problem as `line:column code message`. */
function wrong(text: string): string[] {
  const result = parseMessage(text, 'm.md');
  if (result.ok) throw new Error('it was read');
  return result.problems.map(
    ({ place, code, message }) => `${place?.line}:${place?.column} ${code} ${message}`,
  );
}

const message: Message = {
  id,
  type: 'review-request',
  from: 'engineer',
  to: ['qa'],
  thread: id,
  inReplyTo: id,
  subject: 'Review of the parser',
  created: Date.UTC(2026, 10, 21, 20, 45, 12),
  work: {
    commit: '1f3a'.repeat(10),
    branch: 'mailroom/t/engineer',
    landed: { branch: 'main', commit: 'c0de'.repeat(10), before: 'bead'.repeat(10) },
  },
  attachments: ['src/parser.ts'],
  fields: { verdict: 'approved', rounds: 3, notes: ['a, b', 'no'], deep: { ok: true } },
  extra: { priority: 'high', ticket: '42' },
  body: 'Prose.\n',
};

/** What an author who copies the file has said. */
function draftOf({ id: _id, created: _created, work: _work, ...rest }: Message): Draft {
  return { ...rest, frontMatter: true };
}

describe('a message as a file', () => {
  test('has its keys in a fixed order, one line each', () => {
    expect(formatMessage(message)).toBe(
      [
        '---',
        `id: ${id}`,
        'type: review-request',
        'from: engineer',
        'to: qa',
        `thread: ${id}`,
        `in_reply_to: ${id}`,
        'subject: Review of the parser',
        'created: 2026-11-21T20:45:12.000Z',
        `commit: ${'1f3a'.repeat(10)}`,
        'branch: mailroom/t/engineer',
        `landed: main ${'c0de'.repeat(10)} ${'bead'.repeat(10)}`,
        'attachments: [src/parser.ts]',
        'fields:',
        '  verdict: approved',
        '  rounds: 3',
        '  notes: ["a, b", "no"]',
        '  deep: { ok: true }',
        'priority: high',
        'ticket: "42"',
        '---',
        'Prose.',
        '',
      ].join('\n'),
    );
  });

  test('leaves out what is not there, and lists several recipients', () => {
    const text = formatMessage({
      ...message,
      to: ['qa', 'user'],
      inReplyTo: null,
      work: null,
      attachments: [],
      fields: {},
      extra: {},
    });
    expect(
      text
        .split('\n')
        .slice(1, -2)
        .map((line) => line.replace(/:.*/, '')),
    ).toEqual(['id', 'type', 'from', 'to', 'thread', 'subject', 'created', '---']);
    expect(text).toContain('to: [qa, user]\n');
  });

  test.each([
    'a: b',
    'a #b',
    '# a',
    'null',
    'True',
    '42',
    '1e3',
    '2026-11-21',
    '- a',
    '',
    ' a',
    'a ',
    'line\nline',
    '@a',
    '`a`',
    '"',
    '---',
    '\u2028',
    '\ufeff',
    'ends:',
    '[a]',
    '\ud800',
    'a\rb',
    '~',
    '=',
    'off',
  ])('a subject that YAML would misread is quoted: %j', (subject) => {
    const text = formatMessage({ ...message, subject });
    expect(text).toMatch(/^subject: "/m);
    expect(read(text).subject).toBe(subject);
  });

  test.each([
    'Review of the parser',
    "Don't panic, it's fine",
    'über/naïve',
    'a-b_c.d (e)',
    'step-result',
    'Yes, do',
  ])('a subject that is plain stays plain: %j', (subject) => {
    expect(formatMessage({ ...message, subject })).toContain(`subject: ${subject}\n`);
    expect(read(formatMessage({ ...message, subject })).subject).toBe(subject);
  });
});

describe('what an author wrote', () => {
  test('a text without front matter is all body', () => {
    expect(read('\ufeff# Title\r\n\r\nText\n')).toEqual({
      type: null,
      from: null,
      to: null,
      thread: null,
      inReplyTo: null,
      subject: null,
      attachments: [],
      fields: {},
      extra: {},
      body: '# Title\n\nText\n',
      frontMatter: false,
    });
  });

  test('a rule of four dashes is prose', () => {
    expect(read('-----\nText').body).toBe('-----\nText');
  });

  test('a supplied id or created is dropped, whatever it is; a key without a value is not said', () => {
    const draft = read('---\nid: [1]\ncreated: {}\ntype: task\nthread:\n---\nText');
    expect(draft).toMatchObject({ type: 'task', thread: null, extra: {}, body: 'Text', frontMatter: true });
  });

  test('empty front matter says nothing', () => {
    expect(read('---\n---\nText')).toMatchObject({ frontMatter: true, type: null, body: 'Text' });
    expect(read('---\n---')).toMatchObject({ frontMatter: true, body: '' });
  });

  test('CRLF and a BOM change nothing', () => {
    const text = '---\ntype: task\nsubject: "a"\nfields:\n  a: |\n    x\n    y\n---\nLine\nLine\n';
    expect(read(`\ufeff${text.replaceAll('\n', '\r\n')}`)).toEqual(read(text));
  });

  test('`to` is one role or a list, each once', () => {
    expect(read('---\nto: qa\n---\n').to).toEqual(['qa']);
    expect(read('---\nto: [qa, user, qa]\n---\n').to).toEqual(['qa', 'user']);
  });

  test('keys that are not ours are kept', () => {
    expect(read('---\npriority: high\nno: [1]\n---\n').extra).toEqual({ priority: 'high', no: [1] });
  });
});

describe('what is refused', () => {
  test.each(['---js', '--- js', '---yaml', '--- ', '---javascript ', '---constructor', '---\t', '--- # a'])(
    'line 1 %j is not front matter and runs nothing',
    (line) => {
      const result = wrong(`${line}\nprocess.exit(1)\n---\n`);
      expect(result).toEqual([
        '1:4 E_MESSAGE front matter opens with exactly `---`, and nothing after it on line 1 is read or run',
      ]);
    },
  );

  test('front matter that is not closed, or too long', () => {
    expect(wrong('---\ntype: task\n')).toEqual(['1:1 E_MESSAGE front matter is opened and not closed']);
    expect(wrong('---')).toEqual(['1:1 E_MESSAGE front matter is opened and not closed']);
    const long = `---\na: ${'x'.repeat(65536)}\n---\n`;
    expect(wrong(long)).toEqual(['1:1 E_MESSAGE front matter is not closed within 64 KiB']);
    expect(read(`---\na: ${'x'.repeat(65532)}\n---\n`).extra).toEqual({ a: 'x'.repeat(65532) });
    expect(wrong(`---\na: ${'x'.repeat(65533)}\n---\n`)).toHaveLength(1);
  });

  test.each(['---foo', '----', '--- ', '---js', '---: 1'])('a closing line %j', (line) => {
    expect(wrong(`---\na: 1\n${line}\nb: 2\n---\n`)).toEqual([
      '3:1 E_MESSAGE front matter is closed by exactly `---`, with nothing before or after it on its line',
    ]);
  });

  test('blank lines without end, before they are counted one by one', () => {
    const blank = (lines: number) => `---\na: 1\n${' \t\n'.repeat(lines)}b: 2\n---\n`;
    expect(read(blank(99)).extra).toEqual({ a: 1, b: 2 });
    expect(wrong(blank(100))).toEqual(['3:1 E_MESSAGE front matter has 100 blank lines in a row']);
  });

  test('an author cannot say how the body is read', () => {
    const draft = read('---\nexcerpt_separator: a\nlanguage: js\n---\n\nb a c\n---\nd');
    expect(draft).toMatchObject({
      body: '\nb a c\n---\nd',
      extra: { excerpt_separator: 'a', language: 'js' },
    });
  });

  test('aliases, tags, directives, duplicate keys: all at once, at their lines in the file', () => {
    expect(wrong('---\na: &x 1\nb: *x\nc: !t d\n---\n')).toEqual([
      '2:4 E_MESSAGE YAML anchors are not allowed',
      '3:4 E_MESSAGE YAML aliases are not allowed',
      '4:4 E_MESSAGE YAML tags are not allowed',
    ]);
    expect(wrong('---\n%YAML 1.1\na: 1\n---\n')[0]).toBe('2:1 E_MESSAGE YAML directives are not allowed');
    expect(wrong('---\na: 1\na: 2\n---\n')).toEqual(['3:1 E_MESSAGE the key `a` is given twice']);
  });

  test('a key that would change what an object is', () => {
    expect(wrong('---\nfields: { __proto__: { a: 1 } }\n---\n')).toEqual([
      '2:11 E_MESSAGE a key cannot be `__proto__`',
    ]);
  });

  test('front matter that is not a mapping', () => {
    expect(wrong('---\n- a\n---\n')).toEqual(['2:1 E_MESSAGE front matter must be a mapping, not a list']);
    expect(wrong('---\njust words\n---\n')).toEqual([
      '2:1 E_MESSAGE front matter must be a mapping, not a string',
    ]);
  });

  test('values of the wrong type, each where it stands', () => {
    const text =
      '---\ntype: 1\nto: [qa, 2, ""]\nfrom: ""\nsubject: true\nthread: []\nattachments: a.ts\nfields: [a]\n---\n';
    expect(wrong(text)).toEqual([
      '2:7 E_MESSAGE `type` must be a string, not a number',
      '3:10 E_MESSAGE `to` must be a string, not a number',
      '3:13 E_MESSAGE `to` must not be empty',
      '4:7 E_MESSAGE `from` must not be empty',
      '5:10 E_MESSAGE `subject` must be a string, not true or false',
      '6:9 E_MESSAGE `thread` must be a string, not empty',
      '7:14 E_MESSAGE `attachments` must be a list of paths, not a string',
      '8:9 E_MESSAGE `fields` must be a mapping, not a list',
    ]);
    expect(wrong('---\nto: []\n---\n')).toEqual([
      '2:5 E_MESSAGE `to` must be a string or a list of strings, not empty',
    ]);
  });

  test.each(['/etc/passwd', '../a', 'a/../../b', 'C:\\a', '\\\\host\\a', 'a\\..\\..\\b', 'a\\0b'])(
    'an attachment that leaves the project: %j',
    (path) => {
      expect(
        wrong(`---\nattachments: [ok.ts, "${path.replaceAll('\\', '\\\\').replace('\\\\0', '\\0')}"]\n---\n`),
      ).toHaveLength(1);
      expect(
        wrong(
          `---\nattachments: [ok.ts, "${path.replaceAll('\\', '\\\\').replace('\\\\0', '\\0')}"]\n---\n`,
        )[0],
      ).toMatch(/^2:22 E_PATH /);
    },
  );

  test('each wrong attachment, where it stands', () => {
    expect(wrong('---\nattachments: ["", 7, ../x, ok]\n---\n')).toEqual([
      '2:15 E_MESSAGE `attachments` must not be empty',
      '2:19 E_MESSAGE `attachments` must be a string, not a number',
      '2:22 E_PATH the path `../x` would leave the project',
    ]);
  });

  test('a dot in a name leaves nothing', () => {
    expect(read('---\nattachments: [a..b/c, ./x, ...]\n---\n').attachments).toEqual(['a..b/c', './x', '...']);
  });

  test.each([
    ['typ', 'type'],
    ['form', 'from'],
    ['In-Reply-To', 'in_reply_to'],
    ['subjet', 'subject'],
    ['field', 'fields'],
  ])('the misspelt key %s is asked about', (key, meant) => {
    const result = parseMessage(`---\n${key}: x\n---\n`, 'm.md');
    expect(result).toMatchObject({
      ok: false,
      problems: [
        {
          code: 'E_MESSAGE',
          hint: `did you mean \`${meant}\`?`,
          place: { line: 2, column: 1, length: key.length },
        },
      ],
    });
  });

  test.each([900, 1000, 1022, 1023, 1024, 1025, 1500, 3000])(
    'a key of %d characters is written so that YAML can read it',
    (length) => {
      for (const key of ['k'.repeat(length), `${'k'.repeat(length - 1)}:`]) {
        const long = { ...message, fields: { [key]: { [key]: 1 } }, extra: { [key]: [{ [key]: 1 }] } };
        expect(read(formatMessage(long))).toEqual(draftOf(long));
      }
    },
  );
});

describe('a message of ours', () => {
  test('is read back with its id and time', () => {
    expect(parseEnvelope(formatMessage(message), 'm.md')).toEqual({ ok: true, value: message, warnings: [] });
  });

  test.each([
    ['control characters', '\u0001'.repeat(50_000)],
    ['a long list', Array.from({ length: 25_000 }, () => 0)],
  ])(
    'is read back with %s, also when its author fitted into 64 KiB what takes more as we write it',
    (_, notes) => {
      const long = { ...message, fields: { notes } };
      const written = formatMessage(long);
      expect(written.length).toBeGreaterThan(64 * 1024);
      expect(parseEnvelope(written, 'm.md')).toEqual({ ok: true, value: long, warnings: [] });
    },
  );

  test('lacks nothing', () => {
    const problems = (text: string): string[] => {
      const result = parseEnvelope(text, 'm.md');
      return result.ok ? [] : result.problems.map((problem) => problem.message);
    };
    const missing = ['id', 'type', 'from', 'to', 'thread', 'subject', 'created'].map(
      (key) => `\`${key}\` is missing`,
    );
    expect(problems('Prose.')).toEqual(missing);
    expect(problems('---\nsubjet: a\n---\n')).toEqual(['`subjet` is not a key of a message', ...missing]);
    expect(problems(formatMessage(message).replace('2026-11-21T', 'tomorrow'))).toEqual([
      '`created` must be a time such as 2026-11-21T20:45:12.000Z, not a string',
    ]);
    expect(problems(formatMessage(message).replace('to: qa', 'to: 3'))).toEqual([
      '`to` must be a string or a list of strings, not a number',
    ]);
  });
});

test('reading a message loads no schema library', () => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: URL): void => {
    if (seen.has(file.href)) return;
    seen.add(file.href);
    for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export) (?!type ).*from '(.+)';$/gm,
    )) {
      if (from.startsWith('.')) visit(new URL(from, file));
      else packages.add(from);
    }
  };
  visit(new URL('../../../src/mail/format/read-message.ts', import.meta.url));
  expect([...packages]).toEqual(['@11ty/gray-matter', 'yaml']);
});
