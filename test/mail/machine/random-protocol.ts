import {
  defaultLimits,
  type MessageType,
  type Protocol,
  type Role,
} from '../../../src/mail/format/protocol.ts';
import type { Tape } from './tape.ts';

const names = ['one', 'two', 'three', 'four'];

const plainType: Omit<MessageType, 'name' | 'from' | 'to'> = {
  toAll: false,
  reply: [],
  blocking: 'none',
  timeout: null,
  onTimeout: 'fail',
  escalateTo: 'user',
  checks: [],
  fields: {},
  closes: false,
  lands: null,
  opens: null,
};

/**
 * A protocol in which every request can be answered: up to four roles, requests of every kind of blocking, some in
 * sub-threads, plain and closing messages, joins, time limits and budgets. `calm`: without what lets a thread fail by itself.
 */
export function randomProtocol(tape: Tape, calm = false): Protocol {
  const agents = names.slice(0, 2 + tape.below(3));
  const types = new Map<string, MessageType>();
  const add = (type: Pick<MessageType, 'name' | 'from' | 'to'> & Partial<MessageType>) =>
    types.set(type.name, { ...plainType, ...type });
  const some = (all: readonly string[]) => {
    const found = tape.some(all);
    return found.length > 0 ? found : [tape.pick(all)];
  };
  add({ name: 'go', from: ['user'], to: agents });
  for (let count = 0; count < 1 + tape.below(3); count += 1) {
    const from = some(tape.oneIn(4) ? ['user', ...agents] : agents);
    const to = some(tape.oneIn(3) ? ['user', ...agents] : agents);
    const escalateTo = tape.oneIn(2) ? tape.pick(agents) : 'user';
    add({
      name: `ask${String(count)}`,
      from,
      to,
      reply: [`say${String(count)}`],
      blocking: tape.pick(['role', 'thread', 'none']),
      timeout: tape.oneIn(3) ? 60_000 : null,
      onTimeout: calm ? tape.pick(['proceed', 'escalate']) : tape.pick(['proceed', 'escalate', 'fail']),
      escalateTo,
      opens: from.includes('user') ? null : opening(tape, calm),
    });
    add({ name: `say${String(count)}`, from: [...new Set([...to, escalateTo])], to: from });
  }
  add({ name: 'note', from: some(agents), to: some(agents) });
  add({ name: 'key', from: some(agents), to: some(agents) });
  add({ name: 'report', from: agents, to: ['user'], closes: false });
  if (tape.oneIn(3)) add({ name: 'done', from: some(agents), to: ['user'], closes: true });
  const roles = new Map<string, Role>([['user', roleOf('user', types, tape, calm)]]);
  for (const name of agents) roles.set(name, roleOf(name, types, tape, calm));
  return {
    name: 'random',
    version: '1',
    workspace: tape.oneIn(2)
      ? tape.pick([
          { kind: 'worktree', per: 'thread' },
          { kind: 'worktree', per: 'role', base: null, onConflict: tape.pick(['resolve', 'author', 'user']) },
        ])
      : { kind: 'folder', path: '.' },
    roles,
    types,
    limits: {
      ...defaultLimits,
      turnsPerThread: calm ? 10_000 : 5 + tape.below(30),
      nesting: 1 + tape.below(3),
      corrections: tape.below(3),
      threadBudget: { usd: !calm && tape.oneIn(3) ? 6 : null, tokens: null },
      dayBudget: { usd: !calm && tape.oneIn(4) ? 9 : null, tokens: null },
    },
    start: { type: 'go', to: 'one' },
    concurrency: 1 + tape.below(4),
  };
}

/** Sub-threads, in one of three requests. */
function opening(tape: Tape, calm: boolean): MessageType['opens'] {
  if (!tape.oneIn(3)) return null;
  return { fanOut: 1 + tape.below(3), budget: !calm && tape.oneIn(3) ? { usd: 3, tokens: null } : null };
}

function roleOf(name: string, types: ReadonlyMap<string, MessageType>, tape: Tape, calm: boolean): Role {
  const mine = [...types.values()].filter(({ to }) => to.includes(name) || types.has('never'));
  const both = mine.some((type) => type.name === 'note') && mine.some((type) => type.name === 'key');
  const escalated = [...types.values()].filter(({ escalateTo }) => escalateTo === name);
  const all = [...new Set([...mine, ...escalated].map((type) => type.name))];
  const asks = all.filter((type) => types.get(type)?.reply.length);
  // A request that waits for others may wait forever: then it is named, and fails its thread.
  const [asked, other] = calm ? [] : asks;
  const joined = [
    ...(both ? [['note', 'key']] : []),
    ...(both && asked !== undefined ? [[asked, 'key']] : []),
    ...(asked !== undefined && other !== undefined ? [[asked, other]] : []),
  ];
  const join = joined.length > 0 && tape.oneIn(3) ? tape.pick(joined) : [];
  const alone = all.filter((type) => !join.includes(type));
  return {
    name,
    provider: name === 'user' ? 'human' : 'agent',
    fallback: name !== 'user' && tape.oneIn(3) ? ['other'] : [],
    model: null,
    capabilities: tape.oneIn(3) ? ['READ', 'EDIT'] : ['READ'],
    timeout: null,
    idleTimeout: null,
    concurrency: 1 + tape.below(2),
    session: 'fresh',
    network: true,
    retries: tape.below(3),
    ...(name !== 'user' && { asks: { person: 'user', timeout: name === 'a' ? 60_000 : null } }),
    budget: tape.oneIn(2) ? { usd: 1, tokens: 10 } : null,
    expects: [
      { kind: 'any', types: alone },
      ...(join.length > 0 ? [{ kind: 'all', types: join } as const] : []),
    ],
    agent: null,
    instructions: null,
    env: {},
  };
}
