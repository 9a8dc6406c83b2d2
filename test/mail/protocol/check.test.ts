import { describe, expect, test } from 'vitest';
import { parseProtocol } from '../../../src/mail/protocol/read.ts';

/** What is said of a protocol with these roles (all of one provider) and messages. */
function said(messages: string, more = '', roles = ['a', 'b', 'c']): string[] {
  const text = `roles: { ${roles.map((name) => `${name}: { provider: claude }`).join(', ')} }\nmessages:\n${messages}${more}`;
  const result = parseProtocol([{ file: 'p.yaml', text }]);
  return textsOf(result);
}

function textsOf(result: ReturnType<typeof parseProtocol>): string[] {
  return (result.ok ? result.warnings : result.problems).map(
    ({ severity, message }) => `${severity}: ${message}`,
  );
}

const mute = (name: string, like: string): string =>
  `warning: \`${name}\` gets messages like \`${like}\`, and can send none`;
const asleep = (name: string): string => `warning: nothing can wake \`${name}\`, unless a workflow does`;

describe('who is woken', () => {
  test('a chain from a person, in whatever order it is written', () => {
    expect(
      said('  two: { from: b, to: c }\n  one: { from: a, to: b }\n  zero: { from: user, to: a }\n'),
    ).toEqual([]);
  });

  test('a chain from a workflow, or from a human role', () => {
    expect(said('  one: { from: workflow, to: [a, b, c] }\n')).toEqual([]);
    const text = `roles: { p: { provider: human }, a: { provider: claude } }\nmessages: { one: { from: p, to: a } }`;
    expect(parseProtocol([{ file: 'p.yaml', text }])).toMatchObject({ ok: true, warnings: [] });
  });

  test('no one by a message to oneself, or by one that only a sleeper sends', () => {
    expect(
      said('  one: { from: a, to: a }\n  two: { from: b, to: c }\n  three: { from: user, to: b }\n'),
    ).toEqual([asleep('a')]);
    expect(
      said('  one: { from: a, to: b }\n  two: { from: b, to: a }\n  three: { from: user, to: c }\n'),
    ).toEqual([asleep('a'), asleep('b')]);
  });

  test('a join, when all of it comes', () => {
    const messages =
      '  one: { from: user, to: [a, b] }\n  two: { from: a, to: b }\n  three: { from: [c, user], to: [b, c] }\n';
    expect(said(messages, 'expects: { b: [{ all: [one, two] }, { any: three }] }\n')).toEqual([
      mute('b', 'a'),
    ]);
    const late =
      '  one: { from: user, to: [a, b] }\n  two: { from: c, to: b }\n  three: { from: b, to: c }\n';
    expect(said(late, 'expects: { b: [{ all: [one, two] }] }\n')).toEqual([
      mute('a', 'b'),
      asleep('b'),
      asleep('c'),
    ]);
  });

  test('the role that a request is escalated to, if it expects it', () => {
    const messages =
      '  task: { from: user, to: a }\n  ask: { from: a, to: b, reply: answer, escalate_to: c, timeout: 1h }\n  answer: { from: [b, c], to: a }\n';
    expect(said(messages)).toEqual([asleep('c')]);
    expect(said(messages, 'expects: { c: [{ any: ask }] }\n')).toEqual([]);
  });

  test('no one by built-in mail alone: that is a workflow, or news', () => {
    expect(
      said('  task: { from: user, to: [a, b] }\n', 'expects: { c: [{ any: [step, notice] }] }\n'),
    ).toEqual([asleep('c')]);
  });
});

test('of very many names only the first are listed', () => {
  const roles = Array.from({ length: 30 }, (_, index) => `worker${index}`);
  const text = `roles: { ${roles.map((name) => `${name}: { provider: claude }`).join(', ')} }\nmessages: { task: { from: user, to: nobody } }`;
  const result = parseProtocol([{ file: 'p.yaml', text }]);
  const hint = result.ok ? null : result.problems[0]?.hint;
  expect(hint).toMatch(/^there are `user`, `worker0`, .*`worker18`, …$/);
});

test('after many problems there are no more hints, only problems', () => {
  const result = parseProtocol([
    {
      file: 'p.yaml',
      text: `messages:\n${Array.from({ length: 150 }, (_, index) => `  t${index}: { from: user, to: usr${index} }\n`).join('')}`,
    },
  ]);
  const problems = result.ok ? [] : result.problems;
  expect(problems).toHaveLength(150);
  expect(problems.filter((problem) => problem.hint !== null)).toHaveLength(100);
});

describe('one mistake is one problem', () => {
  test('a role that is misspelt in a request', () => {
    const messages =
      '  task: { from: user, to: [a, b, c] }\n  ask: { from: aa, to: b, reply: answer }\n  answer: { from: b, to: a }\n';
    expect(said(messages)).toEqual(['error: no role is called `aa`']);
    expect(said(messages.replace('aa', 'a').replace('from: b', 'from: bb'))).toEqual([
      'error: no role is called `bb`',
    ]);
  });

  test('a role that cannot be read, with its expectations elsewhere', () => {
    const text =
      'roles: { a: 5 }\nmessages: { task: { from: user, to: a } }\nexpects: { a: [{ any: task }] }\nstart: { type: task, to: a }';
    const result = parseProtocol([{ file: 'p.yaml', text }]);
    expect(result).toMatchObject({
      ok: false,
      problems: [{ message: '`a` must be a mapping, not a number' }],
    });
    expect(result.ok ? 0 : result.problems.length).toBe(1);
  });

  test.each([
    ['roles', 'error: `rolls` is not a key of a protocol', 'rolls: { a: { provider: claude } }'],
    ['roles, as other programs call them', 'error: `agents` is not a key of a protocol', 'agents: { a: {} }'],
    ['roles as a list', 'error: `roles` must be a mapping, not a list', 'roles: [{ a: {} }]'],
  ])('%s that are not where they should be', (_what, message, roles) => {
    const messages =
      'messages:\n  task: { from: user, to: a }\n  ask: { from: a, to: b, reply: answer }\n  answer: { from: b, to: a }\n';
    const rest = `${messages}expects: { a: [{ any: task }] }\nstart: { type: task, to: a }\n`;
    const result = parseProtocol([{ file: 'p.yaml', text: `${roles}\n${rest}` }]);
    expect(textsOf(result)).toEqual([message]);
    // What is wrong whatever the roles are is still reported.
    const timed = parseProtocol([
      { file: 'p.yaml', text: `${roles}\n${rest}`.replace('user, to: a', 'user, to: a, timeout: 1h') },
    ]);
    expect(textsOf(timed)).toEqual([
      message,
      'error: `timeout` without `reply`: nothing answers `task`, so nothing can wait',
    ]);
  });

  test('messages that are misspelt, or in a file that cannot be read', () => {
    const roles = 'roles: { a: { provider: claude }, b: { provider: claude } }\n';
    const rest = 'expects: { a: [{ any: task }] }\nstart: { type: task, to: a }\n';
    const messages = '{ task: { from: user, to: a } }';
    const misspelt = { file: 'p.yaml', text: `${roles}${rest}mesages: ${messages}\n` };
    expect(textsOf(parseProtocol([misspelt]))).toEqual(['error: `mesages` is not a key of a protocol']);
    const cut = [
      { file: 'p.yaml', text: `${roles}${rest}` },
      { file: 'q.yaml', text: 'messages: { task: { from: user, to: a }' },
    ];
    expect(textsOf(parseProtocol(cut))).toEqual([expect.stringMatching(/^error: .*closed/)]);
  });

  test('a file that is extended and not there', () => {
    const problem = { code: 'E_FILE', severity: 'error', message: 'gone', place: null, hint: null } as const;
    const text = 'messages: { task: { from: user, to: a } }\nstart: { type: task, to: a }\n';
    const result = parseProtocol([{ file: 'p.yaml', text }], undefined, { problems: [problem] });
    expect(textsOf(result)).toEqual(['error: gone']);
  });

  test('a request that cannot be read, with its reply', () => {
    const messages =
      '  task: { from: user, to: [a, b, c] }\n  ask: { from: a, to: b, reply: answer, timeout: soon }\n  answer: { from: b, to: a }\n';
    expect(said(messages, 'expects: { a: [{ any: task }] }\nstart: { type: ask, to: b }\n')).toEqual([
      'error: `timeout` must be a duration such as 200ms, 30s, 5m or 1h30m',
    ]);
  });
});

describe('requests among equals', () => {
  test('no one need be able to answer himself', () => {
    const replies = '  from-a: { from: a, to: b }\n  from-b: { from: b, to: a }\n';
    expect(
      said(
        `  task: { from: user, to: [a, b, c] }\n  ask: { from: [a, b], to: [a, b], reply: [from-a, from-b] }\n${replies}`,
      ),
    ).toEqual([mute('c', 'a')]);
  });

  test('each may ask each other, and no one need answer himself', () => {
    expect(
      said(
        '  task: { from: user, to: [a, b, c] }\n  ask: { from: [a, b], to: [a, b], reply: answer }\n  answer: { from: [a, b], to: [a, b] }\n',
      ),
    ).toEqual([mute('c', 'a')]);
  });

  test('a reply may come from the role that it is escalated to alone, but then the others may not answer', () => {
    expect(
      said(
        '  task: { from: user, to: [a, b, c] }\n  ask: { from: a, to: b, reply: answer, escalate_to: c }\n  answer: { from: c, to: a }\n',
      ),
    ).toEqual(['error: `b` may get `ask` from `a`, and must not answer it']);
  });
});
