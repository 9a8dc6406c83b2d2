import { describe, expect, it } from 'vitest';
import { parseProtocol } from '../../../spec/protocol.ts';
import { defaultConfig } from '../../config.ts';
import { explore } from './explore.ts';

const head = 'name: t\nversion: "1"\n';

/** Explores a protocol given as text, whose roles are all played by `claude`. */
function exploring(roles: string, messages: string, expects = '') {
  const names = roles.split(' ').map((name) => `  ${name}: { provider: claude }\n`);
  const text = `${head}roles:\n${names.join('')}messages:\n${messages}\n${expects}`;
  const read = parseProtocol([{ file: 't.yaml', text }], defaultConfig);
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return explore(read.value, { threads: 2, depth: 8, states: 3_000, enough: () => false });
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

  it('says when it stopped early, and does the same every time', () => {
    const first = exploring(
      'a b',
      '  task: { from: user, to: [a, b] }\n  note: { from: [a, b], to: [a, b] }',
    );
    expect(first.complete).toBe(false);
    expect(
      exploring('a b', '  task: { from: user, to: [a, b] }\n  note: { from: [a, b], to: [a, b] }'),
    ).toEqual(first);
  });
});
