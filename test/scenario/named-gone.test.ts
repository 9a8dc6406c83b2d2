import { rmSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { finished, said, TestProject } from '../support/project.ts';

const projects: TestProject[] = [];

afterEach(() => {
  for (const each of projects.splice(0)) each.remove();
});

function project(files: Readonly<Record<string, string>>): TestProject {
  const made = new TestProject({ 'mailroom.yaml': 'trail: off\nsandbox: off\n', ...files });
  projects.push(made);
  return made;
}

/** Deletes a folder, of which something may be left: a run may make a file while its folders go. */
function isDeleted(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY') return false;
    throw error;
  }
}

it('ends a controller with nothing to do whose project was deleted, and says why', async () => {
  const protocol =
    'name: p\nroles: { maker: { provider: replay } }\nmessages: { task: { from: user, to: maker } }\n';
  const made = project({ 'protocols/p.yaml': protocol });
  const up = made.start(['up', '--plain']);
  const end = finished(up);
  await said(up, 'p: 2 roles');
  rmSync(made.root, { recursive: true, force: true });
  const { code, stderr } = await end;
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /^error E_DISK: .*\/\.mailroom\/journal is gone: it was deleted or moved/,
    ) as string,
  });
});

it('ends a run whose project was deleted while a step ran, and the step with it', async () => {
  const workflow = 'name: w\nversion: "1"\ntimeout: 1m\nsteps:\n  hang: { command: [sleep, "1000"] }\n';
  const made = project({ 'workflows/w.yaml': workflow });
  const run = made.start(['run', 'w', '--plain']);
  const end = finished(run);
  await said(run, '▸ hang');
  await expect.poll(() => isDeleted(made.root)).toBe(true);
  expect(await end).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('journal is gone: ') as string,
  });
  expect(made.survivors()).toEqual([]);
});
