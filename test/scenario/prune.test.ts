import { utimesSync, readdirSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { playProject } from '../support/play.ts';
import { finished, said, type TestProject } from '../support/project.ts';

const team = `
name: one
version: "1"
roles: { maker: { capabilities: [READ] } }
messages:
  task: { from: user, to: maker }
  done: { from: maker, to: user, closes: true }
  asked: { from: maker, to: user }
start: { type: task, to: maker }
`;

const work = `
name: work
version: "1"
timeout: 5m
steps:
  make: { command: [sh, -c, "echo made"] }
`;

const waits = `
name: waits
version: "1"
timeout: 5m
steps:
  ask: { gate: { message: Go on? } }
`;

let project: TestProject;
afterEach(() => project.remove());

interface Pruned {
  readonly removed: boolean;
  readonly bytes: number;
  readonly items: readonly { readonly kind: string; readonly id: string; readonly kept: string | null }[];
}

/** Lets everything below a folder look as if it had not changed for long. */
function age(path: string): void {
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) age(join(path, name));
  utimesSync(path, 1_000_000, 1_000_000);
}

/** A run that is stopped while its gate waits, so that it has not ended. */
async function stopped(workflow: string): Promise<void> {
  const run = project.start(['run', workflow, '--plain']);
  const ended = finished(run);
  await said(run, 'mailroom approve');
  run.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 130 });
}

const pruned = async (...args: string[]) =>
  JSON.parse((await project.run(['prune', '--json', ...args])).stdout) as Pruned;

describe('prune', () => {
  it('lists without --yes, removes with it, and leaves a project that works', async () => {
    const plays = { maker: `send(mail[0].includes('Ask') ? 'asked' : 'done', 'user', 'Words');` };
    project = playProject(team, plays, { 'workflows/work.yaml': work, 'workflows/waits.yaml': waits });
    for (const task of ['Make it', 'Ask it']) {
      project.drop('agents/maker/inbox/task.md', `${task}\n`);
      await project.run(['up', '--until-idle']);
    }
    await project.run(['run', 'work']);
    await stopped('waits');
    expect((await pruned()).items).toEqual([]);
    for (const folder of ['turns', 'runs']) age(join(project.root, '.mailroom', folder));
    const listed = await pruned();
    expect(listed.removed).toBe(false);
    const removable = listed.items.filter(({ kept }) => kept === null);
    expect(removable.map(({ kind }) => kind)).toEqual(['turns', 'turns', 'runs']);
    expect(listed.items.find(({ kept }) => kept === 'it has not ended')?.kind).toBe('runs');
    const plain = await project.run(['prune', 'turns', '--older-than', '1h']);
    expect(plain.stdout).toMatch(
      /nothing was removed: 2 folders, .*: mailroom prune turns --older-than 1h --yes\n/,
    );
    expect(project.list('.mailroom/turns')).toEqual(['t1', 't2']);
    expect((await pruned('--yes')).removed).toBe(true);
    expect(project.list('.mailroom/turns')).toEqual([]);
    expect(project.list('.mailroom/runs')).toHaveLength(1);
    expect(project.list('.mailroom/tmp')).toEqual([]);
    expect((await project.run(['up', '--until-idle'])).code).toBe(0);
    expect((await project.run(['status'])).code).toBe(0);
    expect((await project.run(['runs', '--json'])).stdout).toContain('waits');
  });

  it('is refused inside a turn, and for an age that is no duration', async () => {
    project = playProject(team, { maker: '' });
    const inside = await project.run(['prune', '--yes'], { MAILROOM_TURN: 't1' });
    expect(inside.stderr).toContain('E_INSIDE_TURN');
    expect((await project.run(['prune', '--older-than', 'soon'])).code).toBe(2);
  });
});
