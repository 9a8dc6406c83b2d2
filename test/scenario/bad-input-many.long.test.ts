import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, said, type TestProject } from '../support/project.ts';
import type { StatusDocument } from '../../src/documents/status.ts';

let project: TestProject;
afterEach(() => project.remove());

const letters = `
name: letters
version: "1"
roles: { ada: { provider: human }, grace: { provider: human } }
messages: { letter: { from: [user, ada], to: [ada, grace] } }
`;

it('takes 10,000 files at once, each of them once', async () => {
  const count = 10_000;
  project = playProject(letters, {});
  const outbox = `${project.root}/agents/ada/outbox`;
  mkdirSync(outbox, { recursive: true });
  for (let letter = 0; letter < count; letter += 1)
    writeFileSync(
      `${outbox}/${String(letter)}.md`,
      `---\ntype: letter\nto: grace\nsubject: Letter ${String(letter)}\n---\n`,
    );
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0, stderr: '' });
  expect(project.list('agents/ada/outbox')).toEqual([]);
  const subjects = project
    .list('agents/grace/inbox')
    .map((name) => /^subject: (.*)$/m.exec(project.read(`agents/grace/inbox/${name}`))?.[1]);
  expect(subjects).toHaveLength(count);
  expect(new Set(subjects).size).toBe(count);
  // Kept beside the journal when the controller ended, and what the journal itself says without it.
  const kept = await statusOf(project);
  expect(kept.roles).toContainEqual(expect.objectContaining({ name: 'grace', inbox: count }));
  rmSync(`${project.root}/.mailroom/journal/summary`);
  expect(await statusOf(project)).toEqual(kept);
});

async function statusOf(of: TestProject): Promise<StatusDocument> {
  return JSON.parse((await of.run(['status', '--json'])).stdout) as StatusDocument;
}

/** A clock that jumps when a file appears in the project. */
const clock = `
import { existsSync } from 'node:fs';
const real = Date.now;
Date.now = () => real() - (existsSync('jumped') ? 86_400_000 : 0);
`;

it('continues, in order, when the clock jumps back by a day', async () => {
  project = playProject(smallTeam, { maker: `send('done', 'user');` }, { 'clock.mjs': clock });
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(`${project.root}/clock.mjs`).href}` };
  const child = project.start(['up'], env);
  const end = finished(child);
  await said(child, 'roles');
  project.drop('agents/maker/inbox/one.md', 'Before\n');
  await said(child, 'is closed');
  project.write('jumped', '');
  const closed = said(child, 'is closed');
  project.drop('agents/maker/inbox/two.md', 'After\n');
  await closed;
  child.kill('SIGTERM');
  await end;
  project.drop('agents/maker/inbox/three.md', 'After a restart\n');
  expect(await project.run(['up', '--until-idle'], env)).toMatchObject({ code: 0 });
  const rows = JSON.parse((await project.run(['trail', '--json'])).stdout) as {
    type: string;
    created: string;
  }[];
  expect(rows.map(({ type }) => type)).toEqual(['task', 'done', 'task', 'done', 'task', 'done']);
  const times = rows.map(({ created }) => created);
  expect(times).toEqual(times.toSorted());
});
