import { afterEach, expect, it, vi } from 'vitest';
import { RealDisk } from '../../../src/disk/real-disk.ts';
import { startController } from '../../../src/mail/controller/controller.ts';
import { readDefinition, SettingsReader } from '../../../src/project/definition/definition.ts';
import { otherHosts, type Hooks, type OtherHosts } from '../../../src/project/definition/hooks.ts';
import { packageRoot, TestProject } from '../../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

/** Starts a controller of a project whose role works on other hosts. */
async function start(hooks: readonly Hooks[]) {
  project = new TestProject({
    'mailroom.yaml': 'trail: off\nworkers: { queue: redis://localhost:1 }\n',
    'protocols/p.yaml':
      'name: p\nversion: "1"\nworkspace: { worktree: role }\nroles: { maker: { provider: claude, on: workers } }\nmessages: { task: { from: user, to: maker } }\n',
  });
  const disk = new RealDisk(project.root);
  const reader = new SettingsReader(disk, { packageRoot, environment: {}, hooks });
  const definition = await readDefinition(disk, reader);
  if (!definition.ok) return expect.fail(JSON.stringify(definition.problems));
  const options = { triggers: false, untilIdle: true, record: null, onChange: () => {} };
  return startController(disk, definition.value, options);
}

it('a role on workers is refused by its name where no extension has them', async () => {
  await expect(start([])).rejects.toMatchObject({
    code: 'E_USAGE',
    message: 'the role maker runs on workers, which are not part of this program',
    hint: 'remove `on: workers` from it',
  });
});

it('a role on workers is run by the extension that has them', async () => {
  const turns = vi.fn<OtherHosts['turns']>(() => Promise.reject(new Error('opened')));
  const workers: OtherHosts = { turns, steps: () => Promise.reject(new Error('not asked')) };
  await expect(start([{}, { workers }])).rejects.toThrow('opened');
  expect(turns).toHaveBeenCalledOnce();
  expect(otherHosts([{}, { workers }], 'a step')).toBe(workers);
});
