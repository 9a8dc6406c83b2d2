import { expect, it } from 'vitest';
import { textOf } from '../../src/channels/machine/words.ts';
import { channelItems } from '../../src/up/items.ts';
import type { Project } from '../../src/project/project.ts';
import { landingAsked, World } from '../mail/machine/world.ts';

/** What a channel is to send of a project. */
async function items(world: World) {
  const project = {
    journal: { state: () => world.state },
    definition: () => Promise.resolve({ ok: true, value: { protocol: world.protocol } }),
    workflows: { status: () => Promise.resolve({ runs: [] }) },
    holder: () => null,
    mail: () => [],
  };
  const all = await channelItems(project as unknown as Project, new Set(['user']));
  return all.filter(({ kind }) => kind === 'approval');
}

it('sends each question of an agent, so that an answer to one never allows the next', async () => {
  const world = new World(`
roles: { engineer: { ask: user } }
messages:
  task: { from: user, to: engineer }
  done: { from: engineer, to: user, closes: true }
`);
  world.drop('user → engineer: task');
  world.asks('engineer', ['npm install']);
  world.acts();
  const [first] = await items(world);
  world.command({ verb: 'reject', target: { kind: 'turn', turn: 't1' }, comment: null }, 'user');
  world.asks('engineer', ['rm -rf /']);
  world.acts();
  const [second] = await items(world);
  expect([first?.key, second?.key]).toEqual([
    expect.stringMatching(/^t1-/),
    expect.not.stringMatching(`^${first?.key ?? ''}$`),
  ]);
  expect([first, second].map((each) => each && textOf(each))).toEqual([
    expect.stringContaining('```text\nnpm install\n```'),
    expect.stringContaining('```text\nrm -rf /\n```'),
  ]);
});

it('sends work that is to land with what shows it, and each commit of its own', async () => {
  const world = landingAsked();
  const [item] = await items(world);
  expect(item).toMatchObject({ key: 't1-1.work-of-le' });
  expect(item && textOf(item)).toMatch(
    /What would land is not shown here\.[^]*All of it is shown by `mailroom show t1 --diff`\./,
  );
});

it('says how to read what it has cut, and never by approving it', () => {
  const item = {
    key: 't1-6a2715',
    kind: 'approval',
    to: ['user'],
    thread: null,
    from: 'engineer',
    type: 'permission',
    subject: 'ls',
    body: 'x'.repeat(40_000),
    deadline: null,
    onTimeout: null,
    replyTypes: ['approve', 'reject'],
    fields: {},
    command: 'mailroom show 6a2715',
    delivery: null,
  } as const;
  expect(textOf(item)).toContain(' […]\n\nThe whole text: `mailroom show 6a2715`');
  expect(textOf(item)).toContain('Answer with `/approve 6a2715` or `/reject 6a2715`');
});
