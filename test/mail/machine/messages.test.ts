import { describe, expect, it } from 'vitest';
import type { Sent } from '../../../src/mail/machine/event.ts';
import type { Draft } from '../../../src/mail/format/message.ts';
import { admit } from '../../../src/mail/machine/rules/admit.ts';
import { peers, team } from './protocols.ts';
import { written } from './texts.ts';
import { sendTogether } from '../../../src/mail/machine/fold/sending.ts';
import { World } from './world.ts';
import type { Box } from '../../../src/mail/format/boxes.ts';

/** A file without front matter. */
function plain(body: string): Draft {
  return { ...written('→ : task').draft, type: null, subject: null, frontMatter: false, body };
}

/** What a dropped file becomes, or why it does not. */
function dropped(world: World, role: string, box: Box, draft: Draft): Sent | string {
  const drop = { role, box, id: 'new', created: world.now };
  const addressed = admit(world.state, world.protocol, drop, draft);
  return 'sent' in addressed ? addressed.sent : addressed.problems.join('; ');
}

/** The engineer waits for the architect's answer. */
function asked(text = team): World {
  const world = new World(text);
  world.drop('user → architect: task');
  world.turn('architect', ['→ engineer: design']);
  world.turn('engineer', ['→ architect: question']);
  return world;
}

describe('a plain file in an inbox', () => {
  it('is a message from user: of the type that starts, about its first heading', () => {
    const world = new World(team);
    expect(dropped(world, 'architect', 'inbox', plain('\n# Add a flag\n\nPlease.'))).toMatchObject({
      message: {
        id: 'new',
        thread: 'new',
        type: 'task',
        from: 'user',
        to: ['architect'],
        subject: 'Add a flag',
        created: world.now,
        inReplyTo: null,
      },
      request: null,
      answers: null,
    });
  });

  it('is else the only type that user may send there', () => {
    const world = new World(team);
    expect(dropped(world, 'engineer', 'inbox', plain('Yes'))).toMatchObject({ message: { type: 'answer' } });
  });

  it('is refused with the list where that is not clear', () => {
    const text = team.replace('task: {', 'plan: { from: [user], to: [architect] }\n  task: {');
    const world = new World(text.replace('start: { type: task, to: architect }\n', ''));
    expect(dropped(world, 'architect', 'inbox', plain('Do it'))).toBe(
      'the type of this message is ambiguous; set `type` to one of `plan`, `task`',
    );
  });

  it('is refused where user may send nothing, with what it may send', () => {
    const world = new World(
      team
        .replace('to: [engineer, qa] }\n  review-request', 'to: [engineer, qa] }\n  review-request')
        .replace('answer: { from: [architect, user]', 'answer: { from: [architect]')
        .replace('to: [architect, user]', 'to: [architect]'),
    );
    expect(dropped(world, 'qa', 'inbox', plain('Hello'))).toBe(
      'the type of this message is ambiguous; user may send `task` to architect',
    );
  });

  it('of a person is refused: that is for what it receives', () => {
    const world = new World(team);
    expect(dropped(world, 'user', 'inbox', plain('Hello'))).toBe(
      'the inbox of user is for what user receives; write to its outbox',
    );
  });
});

describe('a dropped message', () => {
  it('that names another sender, or is for somebody else, is refused', () => {
    const world = new World(team);
    const draft = { ...written('→ architect: task').draft, from: 'qa' };
    expect(dropped(world, 'architect', 'inbox', draft)).toBe(
      '`from: qa`, but this was written by user; leave `from` out',
    );
    expect(dropped(world, 'architect', 'inbox', written('→ qa: answer').draft)).toBe(
      'it lies in the inbox of architect, but is for qa',
    );
  });

  it('in an outbox is a person speaking for the role', () => {
    const world = asked();
    expect(dropped(world, 'architect', 'outbox', written('→ : answer').draft)).toMatchObject({
      message: { from: 'architect', to: ['engineer'], thread: 'task', inReplyTo: 'question' },
      answers: { request: 'question', recipient: 'architect' },
    });
  });

  it('in an outbox without a type is the only one that fits', () => {
    const world = new World(team);
    expect(dropped(world, 'user', 'outbox', { ...plain('Do it'), to: ['architect'] })).toMatchObject({
      message: { type: 'task', to: ['architect'] },
    });
    expect(dropped(world, 'qa', 'outbox', plain('Hm'))).toContain(
      '`type` is missing; qa may send `question`',
    );
  });

  it('may name a thread that is known, and no other', () => {
    const world = asked();
    expect(dropped(world, 'architect', 'inbox', written('→ : task in task').draft)).toMatchObject({
      message: { thread: 'task' },
    });
    expect(dropped(world, 'architect', 'inbox', written('→ : task in gone').draft)).toBe(
      'there is no thread gone; leave `thread` out to start a new one',
    );
  });

  it('may go to several, each once', () => {
    const world = asked();
    expect(dropped(world, 'user', 'outbox', written('→ qa, engineer, qa: answer').draft)).toMatchObject({
      message: { to: ['qa', 'engineer'] },
    });
  });
});

it('is delivered once, whatever the journal says', () => {
  const world = asked();
  const sent = dropped(world, 'user', 'outbox', written('→ qa: answer').draft);
  if (typeof sent === 'string') expect.fail(sent);
  const by = { role: 'user', thread: sent.message.thread, owes: [] };
  expect(sendTogether(world.state, [sent, sent], by, null)).toEqual([sent]);
  expect(sendTogether(world.state, [sent], by, null)).toEqual([]);
});

it('is filed as read where another answer has arrived since it was judged', () => {
  const world = asked();
  const first = dropped(world, 'architect', 'outbox', written('→ : answer').draft);
  if (typeof first === 'string') expect.fail(first);
  const second = { ...first, message: { ...first.message, id: 'second' } };
  sendTogether(world.state, [first, second], { role: 'architect', thread: 'task', owes: [] }, null);
  const places = ['new', 'second'].map((id) => world.state.mail.get(id)?.deliveries.get('engineer')?.at);
  expect(places).toEqual(['inbox', 'processed']);
});

describe('what a message answers', () => {
  it('is what its turn owes, without a word', () => {
    const world = asked();
    world.turn('architect', ['→ engineer: answer']);
    expect(world.state.mail.get('answer')?.message).toMatchObject({
      inReplyTo: 'question',
      to: ['engineer'],
    });
  });

  it('goes to who asked where it does not say to whom', () => {
    const world = asked();
    world.turn('architect', ['→ : answer']);
    expect(world.state.mail.get('answer')?.message.to).toEqual(['engineer']);
  });

  it('is a request that was sent by an earlier protocol, though by the new one its type answers nothing', () => {
    const world = asked();
    world.edit(
      team
        .replace('reply: [answer]', 'reply: [advice]')
        .replace('  answer:', '  advice: { from: [architect, user], to: [engineer, qa] }\n  answer:'),
    );
    world.turn('architect', ['→ engineer: answer']);
    expect(world.state.mail.get('answer')?.message.inReplyTo).toBe('question');
    expect(world.state.deadlines.size).toBe(0);
  });

  it('is the only open request that fits', () => {
    const world = asked();
    world.drop('qa → user: question');
    world.drop('architect → engineer: answer');
    expect(world.state.mail.get('answer')?.message).toMatchObject({ inReplyTo: 'question', thread: 'task' });
    expect(dropped(world, 'user', 'outbox', written('→ qa: answer').draft)).toMatchObject({
      message: { inReplyTo: 'question2' },
    });
  });

  it('must be said where several fit', () => {
    const world = new World(team);
    for (let count = 0; count < 7; count += 1) world.drop('qa → user: question');
    expect(dropped(world, 'user', 'outbox', written('→ qa: answer').draft)).toBe(
      'this may answer any of several requests; set `in_reply_to` to one of question (question), question2 (question), question3 (question), question4 (question), question5 (question), …',
    );
    expect(dropped(world, 'user', 'outbox', written('→ : answer re question4').draft)).toMatchObject({
      message: { inReplyTo: 'question4', to: ['qa'] },
      answers: { request: 'question4', recipient: 'user' },
    });
  });

  it('may be told by its recipient', () => {
    const world = asked();
    world.drop('engineer → user: question in task');
    world.drop('qa → user: question in task');
    expect(dropped(world, 'user', 'outbox', written('→ qa: answer').draft)).toMatchObject({
      message: { inReplyTo: 'question3' },
    });
  });

  it('must be in the thread of its turn', () => {
    const world = asked();
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: answer re task2'], { in: 'task' });
    expect(world.acts().at(-1)).toContain(
      '`in_reply_to: task2` names no message of this thread; leave it out',
    );
  });

  it('is no other message of the thread, although it may refer to one', () => {
    const world = asked();
    world.turn('architect', ['→ engineer: answer', '→ engineer: design re task']);
    expect(world.state.mail.get('design2')?.message.inReplyTo).toBe('task');
    expect(dropped(world, 'architect', 'inbox', written('→ : task re gone').draft)).toBe(
      '`in_reply_to: gone` names no message of this thread; leave it out',
    );
    expect(dropped(world, 'qa', 'inbox', written('→ : answer re design').draft)).toMatchObject({
      message: { inReplyTo: 'design', thread: 'task' },
      answers: null,
    });
  });

  it('must reach who asked', () => {
    const world = asked();
    world.turn('architect', ['→ qa: answer re question']);
    expect(world.acts().at(-1)).toContain(
      'this answers a request of engineer, so it must go to engineer too',
    );
  });

  it('is nothing where no one asked: then it is mail', () => {
    const world = new World(team);
    world.drop('user → engineer: answer');
    expect(world.running('engineer')).toMatchObject({ messages: ['answer'], wait: null });
  });

  it('is nothing where its author was not asked: it is mail that refers to it', () => {
    const world = asked();
    expect(dropped(world, 'user', 'outbox', written('→ engineer: answer re question').draft)).toMatchObject({
      answers: null,
      late: false,
      message: { inReplyTo: 'question' },
    });
  });
});

describe('what a turn writes', () => {
  it('has the thread of its turn, whatever it says: another is a correction', () => {
    const world = asked();
    world.turn('architect', ['→ engineer: answer in task2']);
    expect(world.acts().at(-1)).toBe(
      'architect is corrected: answer.md: `thread: task2` is not the thread of this turn; leave `thread` out',
    );
    world.turn('architect', ['→ engineer: answer in task']);
    expect(world.acts().at(-1)).toBe('engineer takes answer2');
  });

  it('needs a recipient where its type has several', () => {
    const world = new World(team);
    world.drop('user → architect: task');
    world.turn('architect', ['→ : design']);
    world.turn('engineer', ['→ : question']);
    expect(world.acts().at(-1)).toContain('`to` is missing; `question` may go to `architect`, `user`');
  });

  it('goes to all recipients where its type says so, and comes back when one is missing', () => {
    const world = new World(`roles: { planner: {}, back: {}, front: {} }
messages:
  task: { from: [user], to: [planner] }
  part: { from: [planner, user], to: { all: [back, front] } }`);
    world.drop('user → planner: task');
    world.turn('planner', ['→ back: part']);
    expect(world.acts().at(-1)).toBe(
      'planner is corrected: part.md: `part` goes to all of `back`, `front`: add `front` to `to`',
    );
    world.turn('planner', ['→ : part']);
    expect(world.running('back').messages).toEqual(world.running('front').messages);
  });

  it('to a role that does not exist comes back with the nearest name', () => {
    const world = new World(team);
    world.drop('user → architect: task');
    world.turn('architect', ['→ enginer: design']);
    expect(world.acts().at(-1)).toContain(
      '`design` must not go from architect to `enginer`; did you mean `engineer`? (it may go to `engineer`)',
    );
  });

  it('from a role that may send nothing says so', () => {
    const world = new World('roles: { one: {} }\nmessages: { go: { from: [user], to: [one] } }');
    world.drop('user → one: go');
    world.turn('one', ['→ user: go']);
    expect(world.acts().at(-1)).toBe(
      'one is corrected: go2.md: one must not send `go`; one may send `question` to the sender of your mail or user',
    );
  });

  it('waits from when it is sent, not from when it was written', () => {
    const world = new World(
      team
        .replace(
          'review-request: {',
          'slow: { from: [architect], to: [engineer], reply: [slowly], timeout: 1h, on_timeout: fail, gates: [{ run: [make] }] }\n  slowly: { from: [engineer], to: [architect] }\n  review-request: {',
        )
        .replace('any: [design', 'any: [slow, design'),
    );
    world.drop('user → architect: task');
    world.turn('architect', ['→ engineer: slow']);
    world.now += 600_000;
    world.checks('architect');
    expect(world.state.deadlines.get('slow')).toBe(world.now + 3_600_000);
  });
});

describe('fields', () => {
  const typed = `
roles: { one: {} }
messages:
  go:
    from: [user]
    to: [one]
    fields:
      verdict: { type: string, enum: [yes please, no], required: true }
      count: { type: integer }
      share: { type: number, default: 0.5 }
      sure: { type: boolean }
      list: { type: list }
      map: { type: object }
  free: { from: [user], to: [one] }
`;

  function fields(given: Draft['fields'], type = 'go'): unknown {
    const sent = dropped(new World(typed), 'one', 'inbox', {
      ...written(`→ : ${type}`).draft,
      fields: given,
    });
    return typeof sent === 'string' ? sent : sent.message.fields;
  }

  it('are checked against their type, and defaults are filled in', () => {
    expect(fields({ verdict: 'no', count: 1, sure: false, list: [1], map: { a: null } })).toEqual({
      verdict: 'no',
      count: 1,
      share: 0.5,
      sure: false,
      list: [1],
      map: { a: null },
    });
  });

  it.each([
    [{}, 'field `verdict` ("yes please" | "no") is missing under `fields:`'],
    [{ verdict: 'maybe' }, 'field `verdict` must be one of "yes please", "no"'],
    [{ verdict: 1 }, 'field `verdict` must be a string, not 1'],
    [{ verdict: 'no', count: 1.5 }, 'field `count` must be an integer, not 1.5'],
    [{ verdict: 'no', share: '1' }, 'field `share` must be a number, not "1"'],
    [{ verdict: 'no', sure: null }, 'field `sure` must be a boolean, not null'],
    [{ verdict: 'no', list: {} }, 'field `list` must be a list, not {}'],
    [{ verdict: 'no', map: [] }, 'field `map` must be an object, not []'],
    [{ verdict: 'no', cuont: 1 }, '`go` has no field `cuont`; did you mean `count`?'],
    [{ verdict: 'no', zzz: 1 }, '`go` has no field `zzz`'],
  ])('%j is refused: %s', (given, problem) => {
    expect(fields(given)).toBe(problem);
  });

  it('that a type does not declare may be anything', () => {
    expect(fields({ anything: [true] }, 'free')).toEqual({ anything: [true] });
  });
});

describe('a request', () => {
  it('carries what the protocol says of it, so that an edit of the protocol changes nothing that is sent', () => {
    const world = new World(peers('thread', ', timeout: 1h, on_timeout: proceed, escalate_to: three'));
    world.drop('user → one: go');
    world.turn('one', ['→ two: ask']);
    expect(world.state.mail.get('ask')?.request).toMatchObject({
      replies: ['say'],
      blocks: 'thread',
      deadline: world.now + 3_600_000,
      onTimeout: 'proceed',
      escalateTo: 'three',
    });
    world.edit(peers('role', ', timeout: 1m'));
    world.tick('59m');
    expect(world.state.deadlines.size).toBe(1);
    world.tick('1m');
    expect(world.acts().at(-2)).toBe('ask goes on without two');
  });
});
