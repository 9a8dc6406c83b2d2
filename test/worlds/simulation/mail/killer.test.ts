import { expect, it } from 'vitest';
import { Crash, peace } from '../faults.ts';
import { simulated } from './protocol-choice.ts';
import { Random } from '../random.ts';
import { World } from './world.ts';

it('launches an input that kills the controller no more often than the retries allow', async () => {
  const protocol = simulated('team');
  let launches = 0;
  const world = new World(protocol, new Random(1), peace, () => {
    launches += 1;
    throw new Crash('this input kills the controller');
  });
  await world.start();
  world.disk.plant('agents/architect/inbox/deadly.md', 'Deadly\n');
  for (let step = 0; step < 200; step += 1) await world.step();
  expect(launches).toBe(1 + (protocol.roles.get('architect')?.retries ?? 0));
  expect(world.crashes).toBe(launches);
  const month = world.disk.list('agents/architect/failed') ?? [];
  const failed = month.flatMap((name) => world.disk.list(`agents/architect/failed/${name}`) ?? []);
  expect(failed.map((name) => name.replace(/^.*-(task)-[0-9a-f-]+/, '$1')).toSorted()).toEqual([
    'task.md',
    'task.md.reason.txt',
  ]);
  const told = [...world.state.unread.values()].map(({ message }) => message.subject);
  expect(told).toContainEqual(expect.stringContaining('architect failed'));
});
