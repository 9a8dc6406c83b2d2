import { afterEach, describe, expect, it } from 'vitest';
import { playProject, smallTeam } from '../support/play.ts';
import type { TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

interface Row {
  readonly id: string;
  readonly type: string;
  readonly from: string;
  readonly thread: string;
  readonly body: string;
}

const trail = async () => JSON.parse((await project.run(['trail', '--json'])).stdout) as Row[];

/** What an agent does to the file that it works on. */
const meddling = `
  const { readdirSync, renameSync, appendFileSync } = await import('node:fs');
  const inbox = project + '/agents/maker/inbox/';
  const mine = () => inbox + readdirSync(inbox).find((name) => name.includes('-task-'));
  if (mail[0].includes('Move it')) renameSync(mine(), project + '/moved.md');
  if (mail[0].includes('Edit it')) appendFileSync(mine(), 'Forged.');
  if (mail[0].includes('Copy it') && !prompt.includes('leave \`from\` out'))
    return writeFileSync(outbox + '/copy.md', mail[0]);
  if (mail[0].includes('Say nothing')) return;
  send('done', 'user', mail[0].split('---').at(-1).trim());`;

describe('an agent', () => {
  it('that copies the header of its message, or moves or edits its own inbox file, changes nothing', async () => {
    project = playProject(smallTeam, { maker: meddling });
    const words = ['Copy it', 'Edit it', 'Move it'];
    for (const text of words) project.drop(`agents/maker/inbox/${text}.md`, `${text}\n`);
    expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
    const rows = await trail();
    expect(rows.filter(({ from }) => from === 'user')).toHaveLength(3);
    const done = rows.filter(({ type }) => type === 'done');
    expect(done.map(({ body }) => body.trim()).toSorted()).toEqual(words);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    const [month = ''] = project.list('agents/maker/processed');
    const filed = project.list(`agents/maker/processed/${month}`);
    expect(filed).toHaveLength(3);
    for (const name of filed)
      expect(project.read(`agents/maker/processed/${month}/${name}`)).not.toContain('Forged');
    expect(project.list('agents/maker/inbox')).toEqual([]);
  });

  it('that picks up a request and says nothing is corrected, and whoever asked is told', async () => {
    project = playProject(smallTeam, {
      maker: `if (type === 'task') send('review', 'checker'); else send('done', 'user', 'Without a verdict');`,
      checker: '',
    });
    project.drop('agents/maker/inbox/task.md', 'Make it\n');
    const ran = await project.run(['up', '--until-idle']);
    expect(ran.code).toBe(1);
    expect(ran.stdout.trim().split('\n').at(-1)).toBe('idle: failed (1 thread); see `mailroom inbox`');
    expect(project.read('checker.log').trim().split('\n')).toEqual([
      't2 1 0 review',
      't2 1 1 review',
      't2 1 2 review',
    ]);
    expect((await trail()).map(({ type }) => type)).toContain('notice');
  });
});

const everybodyBlocks = `
name: three
version: "1"
roles:
  maker: { capabilities: [READ] }
  checker: { capabilities: [READ] }
  third: { capabilities: [READ] }
messages:
  task: { from: user, to: maker }
  ask: { from: [maker, checker, third], to: [maker, checker, third], reply: [reply], blocking: role }
  reply: { from: [maker, checker, third], to: [maker, checker, third] }
  done: { from: maker, to: user, closes: true }
start: { type: task, to: maker }
`;

it('three threads finish where every role waits as a whole for every answer', async () => {
  const pass = (next: string) =>
    `if (type === 'ask') { if (mail[0].includes('from: maker') && '${next}') send('ask', '${next}'); else send('reply', /^from: (\\S+)$/m.exec(mail[0])[1]); }
     if (type === 'reply') send('reply', 'maker');`;
  project = playProject(everybodyBlocks, {
    maker: `if (type === 'task') send('ask', 'checker'); else send('done', 'user');`,
    checker: pass('third'),
    third: pass(''),
  });
  for (const task of [1, 2, 3])
    project.drop(`agents/maker/inbox/${String(task)}.md`, `Task ${String(task)}\n`);
  const ran = await project.run(['up', '--until-idle']);
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stdout.trim().split('\n').at(-1)).toBe('idle: done');
  const done = (await trail()).filter(({ type }) => type === 'done');
  expect(new Set(done.map(({ thread }) => thread)).size).toBe(3);
  expect(done).toHaveLength(3);
});

const workers = `
name: workers
version: "1"
roles:
  maker: { capabilities: [READ, EDIT] }
  fixer: { capabilities: [READ, EDIT] }
  checker: { capabilities: [READ] }
messages:
  task: { from: user, to: [maker, fixer, checker] }
  done: { from: [maker, fixer, checker], to: user }
`;

it('a reader works beside a writer and a person with an editor; two writers do not', async () => {
  const meet = (mine: string, other: string) => `
    const { existsSync: isThere, watch } = await import('node:fs');
    writeFileSync(project + '/${mine}', '');
    await new Promise((resolve) => {
      const look = () => isThere(project + '/${other}') && (watcher.close(), resolve());
      const watcher = watch(project, look);
      look();
    });`;
  const alone = `
    const { existsSync, rmSync } = await import('node:fs');
    if (existsSync(project + '/writing')) writeFileSync(project + '/collision', '');
    writeFileSync(project + '/writing', '');`;
  const leave = `rmSync(project + '/writing'); send('done', 'user');`;
  project = playProject(workers, {
    maker: `${alone}${meet('made', 'checked')}
      writeFileSync(project + '/notes.txt', 'The maker');
      writeFileSync(project + '/edited', '');
      ${leave}`,
    fixer: `${alone}${leave}`,
    checker: `${meet('checked', 'made')}
      writeFileSync(project + '/plan.txt', 'A person, in an editor, meanwhile');
      send('done', 'user');`,
  });
  project.write('plan.txt', 'Old');
  for (const role of ['maker', 'checker', 'fixer']) project.drop(`agents/${role}/inbox/task.md`, 'Do it\n');
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  expect((await trail()).filter(({ type }) => type === 'done')).toHaveLength(3);
  expect(project.list('.')).not.toContain('collision');
  expect(project.read('notes.txt')).toBe('The maker');
  expect(project.read('plan.txt')).toBe('A person, in an editor, meanwhile');
});
