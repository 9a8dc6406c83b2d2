import { cpSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import process from 'node:process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { playProject, smallTeam } from '../support/play.ts';
import { finished, said, type TestProject } from '../support/project.ts';

let project: TestProject;
beforeEach(() => {
  project = playProject(smallTeam, { maker: `send('done', 'user');` });
});
afterEach(() => project.remove());

/** A controller that works, and stands still: whatever the test does next, it has not seen it yet. */
async function standing() {
  const up = project.start(['up', '--plain']);
  await said(up, '3 roles');
  up.kill('SIGSTOP');
  return up;
}

const journal = (of = '.mailroom') => {
  const folder = `${project.root}/${of}/journal`;
  return readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, 'utf8'));
};

it.each([
  ['the file of its lock is removed', () => rmSync(`${project.root}/.mailroom/lock`)],
  [
    '.mailroom is replaced by a copy of itself',
    () => {
      const folder = `${project.root}/.mailroom`;
      cpSync(folder, `${folder}-copy`, { recursive: true });
      renameSync(folder, `${folder}-before`);
      renameSync(`${folder}-copy`, folder);
    },
  ],
])('stops and records nothing more when %s, and nobody works beside it', async (_, lose) => {
  const up = await standing();
  lose();
  const second = await project.run(['up', '--until-idle']);
  expect(second.code).toBe(1);
  expect(second.stderr).toContain(`E_LOCKED: process ${String(up.pid)} on `);
  const before = journal();
  project.write('agents/maker/inbox/task.md', '---\ntype: task\n---\nDo it.\n');
  const first = finished(up);
  up.kill('SIGCONT');
  expect(await first).toMatchObject({ code: 1 });
  expect((await first).stderr).toContain(
    `E_LOCKED: ${project.root}/.mailroom/lock was removed or replaced while it was held, so all work was stopped and nothing more was recorded`,
  );
  expect(journal()).toEqual(before);
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  expect(project.list('agents/user/inbox')).toHaveLength(1);
});

it('stops when the helper that holds its lock is gone', async () => {
  const up = project.start(['up', '--plain']);
  await said(up, '3 roles');
  const first = finished(up);
  for (const pid of helpers()) process.kill(pid, 'SIGKILL');
  expect(await first).toMatchObject({ code: 1 });
  expect((await first).stderr).toContain(
    'E_LOCKED: the lock of the project was lost, so all work was stopped',
  );
});

/** Runs the program so that it loses this lock right after it moved this file, or found something in this folder: in the middle of a look. */
function runLosing(args: readonly string[], ending: string, lock: string) {
  const lose = `
const fs = require('node:fs');
// The program uses folders by their descriptors.
const named = (path) => path.replace(/^\\/proc\\/self\\/fd\\/\\d+/, (folder) => fs.readlinkSync(folder));
for (const name of ['renameSync', 'readdirSync']) {
  const act = fs[name];
  fs[name] = (path, other) => {
    const full = named(String(path));
    const result = act(path, other);
    if (full.endsWith('${ending}') && result?.length !== 0) fs.rmSync('${project.root}/${lock}', { force: true });
    return result;
  };
}
`;
  project.write('lose.cjs', lose);
  return project.run(args, { NODE_OPTIONS: `--require ${project.root}/lose.cjs` });
}

/** The types of the events in a journal. */
const typesIn = (lines: readonly string[]) =>
  lines.flatMap((text) => [...text.matchAll(/"event":\{.*?"type":"([a-z-]+)"/g)].map(([, type]) => type));

it('records nothing more of the look in which its lock is lost', async () => {
  project.write('agents/maker/inbox/task.md', '---\ntype: task\n---\nDo it.\n');
  const lost = await runLosing(['up', '--until-idle'], '/maker/inbox/task.md', '.mailroom/lock');
  expect(lost.code).toBe(1);
  expect(lost.stderr).toContain('.mailroom/lock was removed or replaced while it was held');
  expect(typesIn(journal())).toEqual(['started']);
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  expect(project.list('agents/user/inbox')).toHaveLength(1);
});

it('records nothing more of a run after its lock is lost in a look', async () => {
  const gate = 'gate: { message: May it? }';
  project.write('workflows/ask.yaml', `name: ask\nversion: '1'\ntimeout: 1m\nsteps: { a: { ${gate} } }\n`);
  const first = project.start(['run', 'ask', '--plain']);
  await said(first, 'May it?');
  first.kill('SIGTERM');
  await finished(first);
  const [run = ''] = project.list('.mailroom/runs');
  expect(await project.run(['approve', run, 'a'])).toMatchObject({ code: 0 });
  const folder = `.mailroom/runs/${run}`;
  const lock = `.mailroom/locks/${run}`;
  const before = typesIn(journal(folder));
  const lost = await runLosing(['resume', run], `${folder}/control`, lock);
  expect(lost.code).toBe(1);
  expect(lost.stderr).toContain(`${lock} was removed or replaced while it was held`);
  expect(typesIn(journal(folder)).slice(before.length)).toEqual(['resumed']);
  expect(await project.run(['resume', run])).toMatchObject({ code: 0 });
});

/** Each flock(1) that holds a lock of the project: a child of the controller, or of its launcher. */
function helpers(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isHelper(name))
    .map(Number);
}

function isHelper(pid: string): boolean {
  try {
    const [program = '', ...words] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return program.endsWith('flock') && words.some((word) => word.startsWith(project.root));
  } catch {
    return false;
  }
}
