import { describe, expect, it } from 'vitest';
import { parseProtocol } from '../../../../src/mail/protocol/read.ts';
import { defaultConfig } from '../../../../src/config/config.ts';
import { explore } from '../../../../src/mail/machine/explore/explore.ts';

const head = 'name: t\nversion: "1"\n';

/** Explores a protocol given as text, whose roles are all played by `claude`. */
function exploring(roles: string, messages: string, expects = '', states = 3_000, depth = 8) {
  const names = roles.split(' ').map((name) => `  ${name}: { provider: claude }\n`);
  const text = `${head}roles:\n${names.join('')}messages:\n${messages}\n${expects}`;
  const read = parseProtocol([{ file: 't.yaml', text }], defaultConfig);
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return explore(read.value, { threads: 2, depth, states, moves: Infinity });
}

describe('exploring a protocol', () => {
  it('finds nothing where all requests can be answered, however they are nested', () => {
    const { stuck, states } = exploring(
      'a b',
      `  task: { from: user, to: [a, b] }
  ask: { from: [a, b], to: [a, b], reply: [tell] }
  tell: { from: [a, b], to: [a, b] }
  done: { from: [a, b], to: user, closes: true }`,
    );
    expect(stuck).toEqual([]);
    expect(states).toBeGreaterThan(20);
  });

  it('shows the shortest way to a request that only a join would take up', () => {
    const { stuck } = exploring(
      'a b',
      `  task: { from: user, to: a }
  ask: { from: a, to: b, reply: [tell] }
  part: { from: a, to: b }
  tell: { from: b, to: a }`,
      'expects:\n  b: [{ all: [ask, part] }]\n',
    );
    const waiting = stuck.find(({ why }) => why.includes('a waits for b'));
    expect(waiting?.path).toEqual(['user → a: task', 'a → b: ask']);
  });

  it('plays sub-threads to their end, several at once', () => {
    const { stuck, complete, states } = exploring(
      'a b',
      `  task: { from: user, to: a }
  part: { from: a, to: b, thread: new, reply: [made] }
  made: { from: b, to: a }
  question: { from: b, to: a, reply: [answer] }
  answer: { from: a, to: b }
  done: { from: a, to: user, closes: true }`,
    );
    expect(stuck).toEqual([]);
    expect(complete || states > 100).toBe(true);
  });

  it('shows the shortest way to a join that a sub-thread can never complete', () => {
    const { stuck } = exploring(
      'a b c',
      `  task: { from: user, to: a }
  part: { from: a, to: [b, c], thread: new, reply: [made] }
  key: { from: a, to: b }
  made: { from: [b, c], to: a }`,
      'expects:\n  b: [{ all: [part, key] }]\n',
    );
    const waiting = stuck.find(({ why }) => why.includes('a waits for b'));
    expect(waiting?.path).toEqual(['user → a: task', 'a → b: part']);
  });

  it('shows mail that waits for a partner which never comes', () => {
    const { stuck } = exploring(
      'a b',
      `  task: { from: user, to: a }
  left: { from: a, to: b }
  right: { from: a, to: b }
  done: { from: b, to: user, closes: true }`,
      'expects:\n  b: [{ all: [left, right] }]\n',
    );
    expect(stuck[0]).toMatchObject({ path: ['user → a: task', 'a → b: left'] });
    expect(stuck[0]?.why).toContain('left for b');
  });

  it('lets two messages go together where there are joins', () => {
    const { stuck } = exploring(
      'a b',
      `  task: { from: user, to: a }
  left: { from: a, to: b }
  ask: { from: b, to: a, reply: [tell] }
  right: { from: a, to: b, reply: [back] }
  back: { from: b, to: a }
  tell: { from: a, to: b }
  done: { from: b, to: user, closes: true }`,
      'expects:\n  b: [{ all: [left, right] }]\n',
    );
    const paths = stuck.map(({ path }) => path.slice(1).join('; '));
    expect(paths.slice(0, 2)).toEqual(['a → b: left', 'a → b: right']);
    // Both together wake b, which owes `back` then: a waits for no more than b can give.
    expect(paths).not.toContain('a → b: left; a → b: right');
  });

  it('lets time go by where nothing else can happen', () => {
    const protocol = (timeout: string) => `  task: { from: user, to: a }
  ask: { from: a, to: b, reply: [tell]${timeout} }
  part: { from: a, to: b }
  tell: { from: b, to: a }`;
    const expects = 'expects:\n  b: [{ all: [ask, part] }]\n';
    const whys = (timeout: string) =>
      exploring('a b', protocol(timeout), expects).stuck.map(({ why }) => why);
    expect(whys('').some((why) => why.includes('a waits for b'))).toBe(true);
    const proceeding = whys(', timeout: 1m, on_timeout: proceed');
    expect(proceeding.some((why) => why.includes('a waits for b'))).toBe(false);
  });

  it('says when it stopped early, and does the same every time', () => {
    const open = '  task: { from: user, to: [a, b, c] }\n  note: { from: [a, b, c], to: [a, b, c] }';
    const first = exploring('a b c', open, '', 100);
    expect(first).toMatchObject({ complete: false, states: 100 });
    expect(exploring('a b c', open, '', 100)).toEqual(first);
    const { complete } = exploring('a b', open.replaceAll(', c]', ']'), '', 3_000, 1);
    expect(complete).toBe(false);
  });
});
