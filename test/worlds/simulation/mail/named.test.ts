import { describe, expect, it } from 'vitest';
import { MailroomError } from '../../../../src/kernel/errors.ts';
import { peace } from '../faults.ts';
import { Person } from './person.ts';
import { simulated } from './protocol-choice.ts';
import { Random } from '../random.ts';
import { ended, type Script } from './scripted-runner.ts';
import { World } from './world.ts';

const day = 86_400_000;
const reason = { code: 'E_TURN', text: 'trouble' } as const;
const usage = { usd: 0, tokens: 0 };

/** Agents that say nothing. */
const silent: Script = () => ({
  outcome: { is: 'done', text: '', session: null, usage, model: null, denials: [] },
  exit: ended('exited', 0),
  lasts: 10,
});

/** Agents that fail, for good or for now. */
const failing =
  (is: 'later' | 'never'): Script =>
  () => ({
    outcome:
      is === 'never'
        ? { is, reason, usage, session: null }
        : { is, class: 'RETRYABLE_TRANSIENT', reason, until: null, usage, session: null },
    exit: ended('exited', 1),
    lasts: 10,
  });

async function started(script: Script): Promise<World> {
  const world = new World(simulated('team'), new Random(1), peace, script);
  await world.start();
  return world;
}

/** Lets so much real time go by. */
async function pass(world: World, milliseconds: number): Promise<void> {
  const until = world.timeline.elapsed + milliseconds;
  while (world.timeline.elapsed < until) await world.step();
}

const types = (world: World) => world.records().map(({ event }) => event.type);
const inbox = 'agents/architect/inbox';

describe('a wall clock that is set back by days', () => {
  it('does not put off the next attempt of a turn', async () => {
    const world = await started(failing('later'));
    world.disk.plant(`${inbox}/task.md`, 'Do\n');
    await pass(world, 2_100);
    expect(types(world)).toContain('requeued');
    world.timeline.set(-40 * day);
    await pass(world, 60_000);
    expect(types(world)).toContain('abandoned');
  });

  it('does not put off the next scan', async () => {
    const world = await started(silent);
    await pass(world, 3_000);
    world.timeline.set(-40 * day);
    world.disk.plant(`${inbox}/task.md`, 'Do\n');
    await pass(world, 5_000);
    expect(types(world)).toContain('accepted');
  });

  it('does not make a file look complete that is being written', async () => {
    const world = await started(failing('later'));
    world.disk.plant(`${inbox}/first.md`, 'First\n');
    await pass(world, 3_000);
    world.timeline.set(-40 * day);
    await pass(world, 2_000);
    world.disk.plant(`${inbox}/second.md`, 'Half a w');
    world.process?.hint();
    await world.step();
    world.disk.plant(`${inbox}/second.md`, 'Half a word\n');
    await pass(world, 5_000);
    const bodies = world
      .records()
      .flatMap(({ event }) => (event.type === 'accepted' ? [event.sent.message.body] : []));
    expect(bodies).toEqual(['First\n', 'Half a word\n']);
  });
});

describe('a message that is put back', () => {
  it('does not lie in `failed` any more', async () => {
    const world = await started(failing('never'));
    world.disk.plant(`${inbox}/task.md`, 'Do\n');
    await pass(world, 5_000);
    const failed = () =>
      (world.disk.list('agents/architect/failed') ?? []).flatMap(
        (month) => world.disk.list(`agents/architect/failed/${month}`) ?? [],
      );
    expect(failed()).toHaveLength(2);
    const person = new Person(world);
    person.request('pause', { kind: 'role', role: 'architect' }, false);
    await pass(world, 3_000);
    const [name] = failed();
    person.request('retry', { kind: 'letter', role: 'architect', name }, false);
    await pass(world, 3_000);
    expect(failed()).toEqual([]);
    expect(world.disk.list(inbox)).toHaveLength(1);
  });
});

describe('an inbox of a person that was removed', () => {
  it('is drawn again with what belongs to no thread, too', async () => {
    const world = await started(silent);
    world.disk.plant(`${inbox}/task.md`, '---\ntype: nonsense\n---\nDo\n');
    await pass(world, 5_000);
    expect(world.disk.list('agents/user/inbox')).toHaveLength(1);
    world.disk.remove('agents/user/inbox');
    await pass(world, 5_000);
    new Person(world).request('unpause', { kind: 'role', role: 'user' }, false);
    await pass(world, 5_000);
    expect(world.state.roles.get('user')?.vanished).toBe(false);
    // The news of the removal came on top.
    expect(world.disk.list('agents/user/inbox')).toHaveLength(2);
  });
});

describe('a file that the disk cannot read', () => {
  it('keeps none but the one that cannot be read waiting', async () => {
    const world = await started(silent);
    const broken = new MailroomError('E_DISK', 'input/output error');
    for (const name of ['one', 'torn', 'two']) world.disk.plant(`${inbox}/${name}.md`, 'Do\n');
    world.faults.arm = () => {
      world.disk.beforeRead = (path) => {
        if (path.endsWith('torn.md')) throw broken;
      };
    };
    await pass(world, 9_000);
    expect(types(world).filter((type) => type === 'accepted')).toHaveLength(2);
  });
});
