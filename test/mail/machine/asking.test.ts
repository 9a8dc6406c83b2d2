import { describe, expect, it } from 'vitest';
import { formatMessage } from '../../../src/mail/format/read-message.ts';
import { answerGuide } from '../../../src/mail/machine/answering.ts';
import { World } from './world.ts';

/** A pair without a type by which it could ask: a lead hands over to a maker, whose only word ends the thread. */
const pair = `
roles:
  lead: {}
  maker: {}
messages:
  task: { from: user, to: lead }
  order: { from: lead, to: maker }
  done: { from: maker, to: user, closes: true }
  note: { from: lead, to: user }
`;

/** The maker has an order of the lead. */
function ordered(protocol = pair): World {
  const world = new World(protocol);
  world.drop('user → lead: task');
  world.turn('lead', ['→ maker: order']);
  world.acts();
  return world;
}

describe('the built-in question', () => {
  it('goes to the sender of the mail, keeps the thread open, and its answer continues the work', () => {
    const world = ordered();
    world.turn('maker', ['→ : question | Postgres or MySQL?']);
    expect(world.acts()).toEqual(['maker → lead: question', 'lead takes question']);
    expect([...world.state.waits.values()]).toMatchObject([{ role: 'maker', blocks: 'thread' }]);
    world.turn('lead', ['→ : answer']);
    expect(world.running('maker')).toMatchObject({ messages: ['answer'], wait: 'w1' });
    world.turn('maker', ['→ user: done']);
    expect(world.thread('task')).toBe('closed');
  });

  it('of a role that waits is answered by whom it waits for, and leaves what is owed', () => {
    const world = ordered(`
roles: { lead: {}, maker: {} }
messages:
  task: { from: user, to: lead }
  order: { from: lead, to: maker, reply: [made], blocking: role }
  made: { from: maker, to: lead }
  done: { from: lead, to: user, closes: true }
`);
    world.turn('maker', ['→ : question']);
    expect(world.running('lead')).toMatchObject({ messages: ['question'], nesting: 1 });
    world.turn('lead', ['→ : answer']);
    expect(world.running('maker').owes).toEqual([{ request: 'order', recipient: 'maker' }]);
    world.turn('maker', [], { text: 'nothing to send' });
    expect(world.acts().at(-1)).toContain('maker is corrected: an answer is owed: `made` to lead');
  });

  it('is answered by a person, who is shown how, and can be asked again', () => {
    const world = new World(pair);
    world.drop('user → lead: task');
    world.turn('lead', ['→ : question | Which database?']);
    expect(world.at('question', 'user')).toBe('unread');
    const { state, protocol } = world;
    const guide = answerGuide(state, protocol, state.mail.get('question')!, 'user', ['user']);
    expect(guide).toContain('- `answer` to lead\n');
    expect(guide).toContain('2026-01-02 12:00 UTC, the sender continues without an answer.');
    expect(guide).toContain('mailroom reply estion --message "…"');
    world.drop('user → lead: answer re question');
    world.turn('lead', ['→ : question']);
    world.drop('user → : answer');
    expect(world.running('lead').messages).toEqual(['answer2']);
  });

  it('without an answer for a day is decided by who asked, who cannot ask once more', () => {
    const world = new World(pair);
    world.drop('user → lead: task');
    world.turn('lead', ['→ : question | Postgres or MySQL?']);
    world.tick('23h59m');
    expect(world.processes()).toEqual([]);
    world.tick('1m');
    const [notice = ''] = world.running('lead').messages;
    expect(formatMessage(world.state.mail.get(notice)!.message)).toContain(
      'user has not answered in time: Postgres or MySQL? (…estion). Decide yourself, and say what you assumed.',
    );
    world.turn('lead', ['→ : question']);
    expect(world.acts().at(-1)).toContain('decide yourself, and say what you assumed');
    world.turn('lead', ['→ maker: order']);
    expect(world.running('maker').messages).toEqual(['order']);
  });

  it('goes only to who sent the mail, to some of them, or to user', () => {
    const world = ordered();
    world.turn('maker', ['→ maker: question']);
    expect(world.acts().at(-1)).toContain(
      '`question` must not go from maker to `maker` (it may go to `lead`, `user`)',
    );
    world.turn('maker', ['→ user: question']);
    expect(world.at('question2', 'user')).toBe('unread');
    const joined = new World(`
roles: { one: {}, two: {}, both: {} }
messages:
  go: { from: user, to: [one, two] }
  left: { from: one, to: both }
  right: { from: two, to: both }
expects: { both: [{ all: [left, right] }] }
`);
    joined.drop('user → one, two: go');
    joined.turn('one', ['→ both: left']);
    joined.turn('two', ['→ both: right']);
    joined.turn('both', ['→ : question']);
    expect(joined.acts().at(-1)).toContain('`to` is missing; `question` may go to `one`, `two`');
    joined.turn('both', ['→ two: question']);
    expect(joined.processes()).toEqual(['two in go']);
  });

  it('is not sent with what ends the thread, from a step, by a person, or where a turn must answer', () => {
    const world = ordered();
    world.turn('maker', ['→ : question', '→ user: done']);
    expect(world.acts().at(-1)).toContain('closes the thread, so `question` would never be answered');
    const step = new World(pair);
    step.step('maker');
    step.turn('maker', ['→ : question']);
    expect(step.acts().at(-1)).toContain('neither a role nor a person sent it');
    expect(world.drop('user → lead: question')).toContain('neither a role nor a person sent it');
    const deep = ordered(`${pair}limits: { nesting: 1 }\n`);
    deep.turn('maker', ['→ : question']);
    deep.turn('lead', ['→ maker: question']);
    deep.turn('maker', ['→ : question']);
    expect(deep.acts().at(-1)).toContain(
      '`question` is a request, but this turn is nested as deep as allowed',
    );
  });

  it('alone is answered by `answer`', () => {
    const world = ordered();
    world.turn('maker', ['→ lead: answer']);
    expect(world.acts().at(-1)).toContain(
      'maker owes no `answer`: only the answer to a `question` may be one',
    );
    expect(world.drop('user → maker: answer')).toContain('user owes no `answer`');
  });

  it('ends with the turns of its thread', () => {
    const world = new World(`${pair}limits: { turns_per_thread: 3 }\n`);
    world.drop('user → lead: task');
    for (let turn = 0; turn < 3; turn += 1) {
      world.turn('lead', ['→ : question']);
      world.drop('user → : answer');
    }
    expect(world.thread('task')).toBe('failed');
  });
});

describe('a protocol with a type of that name', () => {
  const ask = (own: string) => ordered(`${pair}  ${own}\n`);

  it.each(['question', 'answer'])('`%s` has no built-in one', (name) => {
    const world = ask(`${name}: { from: user, to: [lead, maker] }`);
    world.turn('maker', ['→ : question']);
    expect(world.acts().at(-1)).toMatch(/there is no type `question`|maker must not send `question`/);
  });

  it('keeps an open question of before, which ends at its deadline', () => {
    const world = ordered();
    world.turn('maker', ['→ : question']);
    world.turn('lead', ['→ maker: order', '→ : answer']);
    world.turn('maker', ['→ : question']);
    world.edit(`${pair}  answer: { from: user, to: lead }\n`);
    world.turn('lead', ['→ user: note']);
    expect(world.acts().at(-1)).toContain('lead is corrected: an answer is owed');
    world.tick('1d');
    world.turn('lead', ['→ user: note']);
    expect(world.processes()).toEqual(['maker in task']);
  });
});
