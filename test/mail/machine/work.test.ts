import { describe, expect, it } from 'vitest';
import { enteringOf } from '../../../src/mail/machine/rules/work.ts';
import { MailExplainer } from '../../../src/mail/machine/explain/explain.ts';
import { World } from './world.ts';

const team = `
workspace: { worktree: role }
roles:
  lead: { capabilities: [READ] }
  left: { capabilities: [READ, EDIT] }
  right: { capabilities: [READ, EDIT] }
  checker: { capabilities: [READ] }
messages:
  task: { from: user, to: [lead, left] }
  build: { from: lead, to: { all: [left, right] } }
  made: { from: left, to: checker }
  done: { from: [left, right], to: checker, gates: [{ run: [test] }] }
  also: { from: right, to: checker }
expects:
  checker: [{ all: [made, also] }, { any: [done] }]
`;

/** What the checkout of a role's running turn must contain. */
function takes(world: World, role: string) {
  const entering = enteringOf(world.state, world.protocol, world.running(role));
  return entering?.takes?.map(({ commit, from }) => `${commit} of ${from}`) ?? null;
}

/** The commit of each message, by its name. */
function commits(world: World): Record<string, string | null> {
  return Object.fromEntries(
    [...world.state.mail.values()].map(({ message }) => [message.id, message.work?.commit ?? null]),
  );
}

/** Both engineers work, at the same time. */
function building(protocol = team): World {
  const world = new World(protocol);
  world.drop('user → lead: task');
  world.enter('lead', 'base');
  world.turn('lead', ['lead → left, right: build']);
  expect(world.processes()).toEqual(['left in task', 'right in task']);
  world.enter('left', 'base');
  world.enter('right', 'base');
  return world;
}

describe('a role with a checkout of its own', () => {
  it('passes on the commit that it read, if it must not edit', () => {
    expect(commits(building())).toEqual({ task: null, build: 'base' });
  });

  it('leaves a commit before its messages are sent, with or without gates', () => {
    const world = building();
    world.turn('left', ['left → checker: made | It is made']);
    expect(world.processes()).toEqual(['right in task', 'left in task (checks)']);
    expect(world.decision.processes[1]).toMatchObject({
      checks: [],
      leaving: {
        title: 'It is made',
        messages: ['made'],
        entered: 'base',
        amends: null,
        takes: [{ commit: 'base' }],
      },
    });
    world.checks('left', [], 'c1');
    expect(commits(world)).toMatchObject({ made: 'c1' });
    expect(world.state.mail.get('made')?.message.work?.branch).toBe('mailroom/task/left');
  });

  it('takes the work of all that it picks up, each commit once', () => {
    const world = building();
    expect(takes(world, 'left')).toBeNull();
    world.turn('left', ['left → checker: made']);
    world.checks('left', [], 'c1');
    world.turn('right', ['right → checker: also']);
    world.checks('right', [], 'c2');
    expect(takes(world, 'checker')).toEqual(['c1 of left', 'c2 of right']);
  });

  it('replaces the commit of a round that was corrected', () => {
    const world = building();
    world.turn('left', ['left → checker: done']);
    world.checks('left', ['no'], 'c1');
    world.turn('left', ['left → checker: done']);
    expect(world.decision.processes[1]).toMatchObject({ leaving: { entered: 'base', amends: 'c1' } });
    world.checks('left', [], 'c2');
    expect(commits(world)).toMatchObject({ done2: 'c2' });
  });

  it('begins its next turn with what it sent last', () => {
    const world = building();
    world.turn('left', ['left → checker: made']);
    world.checks('left', [], 'c1');
    world.drop('user → left: task in task');
    const entering = enteringOf(world.state, world.protocol, world.running('left'));
    expect(entering).toMatchObject({ takes: [], last: 'c1', edits: true });
  });

  const conflict = { code: 'E_CONFLICT', text: 'left conflicts with right in a.txt' } as const;

  it('starts again with a conflict that it resolves, which is no failed attempt', () => {
    const world = building();
    world.fail('left', { reason: conflict });
    const turn = world.running('left');
    expect(turn).toMatchObject({ attempt: 2, failures: 0, conflict: { by: 'role', waits: false } });
    expect(enteringOf(world.state, world.protocol, turn)).toMatchObject({ resolving: 'role' });
    expect(world.notices()).toEqual([]);
  });

  it('meets further conflicts as it resolves one, and these are no faults of its own', () => {
    const world = building();
    world.fail('left', { reason: conflict });
    for (const _ of [1, 2, 3, 4]) {
      world.turn('left', ['left → checker: made']);
      world.conflicts('left');
      expect(world.running('left').problems).toEqual(['it conflicts']);
    }
    for (const _ of [1, 2]) world.turn('left', ['left → lead: made']);
    expect(world.running('left').round).toBe(6);
    world.turn('left', ['left → lead: made']);
    expect(world.processes()).toEqual(['right in task']);
    expect(world.notices()).toEqual([expect.stringContaining('failed')]);
  });

  it('waits for a person who must resolve its conflict, and starts when told', () => {
    const world = building();
    world.fail('left', { reason: conflict, class: 'NON_RETRYABLE' });
    expect(world.processes()).toEqual(['right in task']);
    expect(world.notices()).toEqual(['Conflict: task']);
    const left = [...world.state.turns.values()].find(({ role }) => role === 'left');
    expect(new MailExplainer(world.state, world.protocol, world.now).role('left')).toMatchObject({
      code: 'conflict',
      reason: `turn ${left?.id ?? ''} of left waits until a person has resolved a conflict: ${conflict.text}`,
      act: { do: 'retry', message: 'build', role: 'left' },
    });
    world.tick('1h');
    expect(world.processes()).toEqual(['right in task']);
    const message = world.state.mail.get('build')?.message;
    if (!message) throw new Error('there is no message build');
    expect(world.command({ verb: 'retry', message, role: 'left' })).toBeNull();
    const entering = enteringOf(world.state, world.protocol, world.running('left'));
    expect(entering).toMatchObject({ resolving: 'person' });
    const [running] = world.processes();
    expect(world.command({ verb: 'retry', message, role: 'left' })).toBeNull();
    expect(world.processes()[0]).toBe(running);
  });

  it('asks a person about every conflict where the protocol says so', () => {
    const resolves = (protocol: string, role: string) => {
      const world = new World(protocol);
      world.drop(`user → ${role}: task`);
      return enteringOf(world.state, world.protocol, world.running(role))?.resolves;
    };
    const commands = team.replace(
      'left: { capabilities: [READ, EDIT] }',
      'left: { capabilities: [READ, EDIT, RUN_COMMANDS] }',
    );
    const asking = team.replace('{ worktree: role }', '{ worktree: role, on_conflict: user }');
    expect([resolves(team, 'left'), resolves(commands, 'left'), resolves(team, 'lead')]).toEqual([
      'text',
      'all',
      'none',
    ]);
    expect(resolves(asking, 'left')).toBe('none');
  });

  it('is checked against what waits for the recipient, where authors resolve conflicts', () => {
    const author = team.replace('{ worktree: role }', '{ worktree: role, on_conflict: author }');
    const met = (world: World) =>
      world.decision.processes.flatMap((one) => (one.kind === 'checks' ? (one.leaving?.meets ?? []) : []));
    const world = building(author);
    world.turn('left', ['left → checker: made']);
    expect(met(world)).toEqual([]);
    world.checks('left', [], 'c1');
    world.turn('right', ['right → checker: also']);
    expect(met(world)).toEqual([{ commit: 'c1', message: 'made', from: 'left' }]);
  });

  it('is checked again if other work came meanwhile', () => {
    const world = building(team.replace('gates: [{ run: [test] }]', 'gates: [{ run: [test], on: merged }]'));
    world.turn('left', ['left → checker: done']);
    world.turn('right', ['right → checker: also']);
    expect(world.decision.processes).toMatchObject([
      { key: 't2/1/0/checks', work: { others: [{ commit: 'base', from: 'lead' }] } },
      { key: 't3/1/0/checks', work: { others: [] } },
    ]);
    world.checks('right', [], 'c2');
    world.checks('left', [], 'c1', ['base']);
    expect(world.decision.processes).toMatchObject([
      { key: 't2/1/0/checks-2', work: { others: [{ commit: 'base' }, { commit: 'c2', from: 'right' }] } },
    ]);
    expect(commits(world)).not.toHaveProperty('done');
    world.checks('left', [], 'c1');
    expect(commits(world)).toMatchObject({ done: 'c1' });
  });
});
