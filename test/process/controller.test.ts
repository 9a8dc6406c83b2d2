import process from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import { startController } from '../../src/mail/controller/controller.ts';
import { readDefinition, SettingsReader } from '../../src/project/definition/definition.ts';
import { RealDisk } from '../../src/disk/real-disk.ts';
import { TestProject } from '../support/project.ts';

it('closes what it has opened for workflows when the journal cannot be trusted', async () => {
  const project = new TestProject({
    'mailroom.yaml': 'trail: off\n',
    'protocols/team.yaml':
      'roles: { one: { provider: human } }\nmessages: { note: { from: user, to: one } }\n',
    '.mailroom/journal/000000000001.log': 'damaged\nin the middle\n',
  });
  onTestFinished(() => project.remove());
  const disk = new RealDisk(project.root);
  const definition = await readDefinition(
    disk,
    new SettingsReader(disk, { packageRoot: '/nowhere', environment: process.env }),
  );
  if (!definition.ok) throw new Error(JSON.stringify(definition.problems));
  const options = { untilIdle: true, record: null, triggers: true, onChange: () => {} };
  let closed = 0;
  const open = () =>
    Promise.resolve({
      triggers: [],
      runs: { count: 0, latest: () => [], end: () => {} },
      notes: [],
      problems: () => [],
      recoveries: () => [],
      received: () => {},
      isTalking: () => false,
      close: () => Promise.resolve(void (closed += 1)),
    });
  const starting = startController(disk, definition.value, options, open);
  await expect(starting).rejects.toMatchObject({ code: 'E_JOURNAL' });
  expect(closed).toBe(1);
});
