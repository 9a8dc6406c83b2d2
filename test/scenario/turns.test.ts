import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { playProject, smallTeam, type Plays } from '../support/play.ts';
import { finished, said, type TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

/** Sets up a project with one task in the maker's inbox. */
function begin(plays: Plays, protocol = smallTeam): TestProject {
  project = playProject(protocol, plays);
  project.write('agents/maker/inbox/task.md', '# Make it\n\nPlease.\n');
  return project;
}

interface Row {
  readonly type: string;
  readonly from: string;
  readonly subject: string;
  readonly body: string;
  readonly turn: string | null;
  readonly in_reply_to: string | null;
}

async function trail(): Promise<Row[]> {
  return JSON.parse((await project.run(['trail', '--json'])).stdout) as Row[];
}

const types = async () => (await trail()).map(({ type }) => type);

it('mail that was sent while no controller ran is handled in the order in which it was sent', async () => {
  project = playProject(smallTeam, { maker: `send('done', 'user', mail[0]);` });
  for (const [index, name] of ['d', 'b', 'c', 'a'].entries()) {
    const path = `agents/user/outbox/send-${name}.md`;
    project.write(path, `---\ntype: task\nto: maker\n---\nTask ${String(index + 1)}\n`);
    utimesSync(join(project.root, path), 1_700_000_000, 1_700_000_000 + index);
  }
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  const tasks = (await trail()).filter((row) => row.type === 'task').map(({ subject }) => subject);
  expect(tasks).toEqual(['Task 1', 'Task 2', 'Task 3', 'Task 4']);
});

describe('a turn', () => {
  it('gets the prompt, the variables and read-only copies of its messages', async () => {
    begin({
      maker: `
        const { statSync, accessSync, constants } = await import('node:fs');
        const env = process.env;
        const seen = {
          prompt: prompt.includes('Please.') && prompt.includes('done'),
          names: ['PROJECT', 'ROLE', 'TURN', 'THREAD', 'ATTEMPT', 'OUTBOX', 'MESSAGES'].filter((name) => !env['MAILROOM_' + name]),
          mode: statSync(env.MAILROOM_MESSAGES).mode & 0o777,
          outbox: env.MAILROOM_OUTBOX.startsWith(project + '/.mailroom/turns/'),
          home: 'SECRET_OF_THE_HOST' in env,
          cwd: process.cwd() === project,
        };
        send('done', 'user', JSON.stringify(seen));`,
    });
    const ran = await project.run(['up', '--until-idle'], { SECRET_OF_THE_HOST: 'x' });
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout.trim().split('\n').at(-1)).toBe('idle: done');
    const last = (await trail()).at(-1);
    expect(JSON.parse(last?.body ?? '{}')).toEqual({
      prompt: true,
      names: [],
      mode: 0o444,
      outbox: true,
      home: false,
      cwd: true,
    });
  });

  it('ends by its exit code: 1 is tried again, then its retries are over', async () => {
    begin({ maker: 'process.exit(times < 2 ? 1 : 0)' });
    expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
    expect(project.read('maker.log').trim().split('\n')).toEqual([
      't1 1 0 task',
      't1 2 0 task',
      't1 3 0 task',
    ]);
  });

  it('ends permanently with exit code 2, and `retry` puts its message back', async () => {
    begin({ maker: `if (times === 0) process.exit(2); send('done', 'user');` });
    const ran = await project.run(['up', '--until-idle']);
    expect(ran.code).toBe(1);
    expect(project.read('maker.log').trim().split('\n')).toHaveLength(1);
    const month = project.list('agents/maker/failed')[0] ?? '';
    expect(project.list(`agents/maker/failed/${month}`)).toHaveLength(2);
    const id = (JSON.parse((await project.run(['trail', '--json'])).stdout) as { id: string }[])[0]?.id ?? '';
    expect(await project.run(['retry', id])).toMatchObject({ code: 0 });
    expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
    expect((await types()).at(-1)).toBe('done');
  });

  it('may answer by its final text alone', async () => {
    begin({
      maker: `if (type === 'task') send('review', 'checker'); else console.log('---\\ntype: done\\nto: user\\n---\\nFinished.');`,
      checker: `console.log('type: verdict\\nfields: { good: true }\\n\\nLooks good.');`,
    });
    expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
    const rows = await trail();
    expect(rows.map(({ type, turn }) => [type, turn])).toEqual([
      ['task', null],
      ['review', 't1'],
      ['verdict', 't2'],
      ['done', 't3'],
    ]);
    expect(rows[2]).toMatchObject({
      body: expect.stringContaining('Looks good.') as string,
      from: 'checker',
    });
  });

  it('is corrected with the reason, and what it wrote wrongly is never delivered', async () => {
    begin({
      maker: `
        if (prompt.includes('did you mean \`done\`')) return send('done', 'user', 'Right');
        send('dnoe', 'user', 'Wrong');`,
    });
    expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
    expect(project.read('maker.log').trim().split('\n')).toEqual(['t1 1 0 task', 't1 1 1 task']);
    expect((await trail()).map(({ body }) => body.trim()).slice(1)).toEqual(['Right']);
  });

  it('fails permanently when its corrections are used up; its author and user see why', async () => {
    begin({ maker: `send('done', 'checker', 'Never right');` });
    expect((await project.run(['up', '--until-idle'])).code).toBe(1);
    expect(project.read('maker.log').trim().split('\n')).toHaveLength(3);
    const month = project.list('agents/maker/failed')[0] ?? '';
    const reasons = project
      .list(`agents/maker/failed/${month}`)
      .filter((name) => name.endsWith('.reason.txt'));
    expect(reasons).toHaveLength(2);
    for (const name of reasons)
      expect(project.read(`agents/maker/failed/${month}/${name}`)).toContain(
        'must not go from maker to `checker`',
      );
    expect((await trail()).map(({ subject }) => subject)).toContain('Turn t1 of maker failed');
  });

  it('is put back uncounted when the controller is stopped, and leaves no one running', async () => {
    begin({
      maker: `
        const { existsSync } = await import('node:fs');
        if (!existsSync('go')) await new Promise((stay) => setTimeout(stay, 60_000));
        send('done', 'user');`,
    });
    for (let stop = 0; stop < 4; stop += 1) {
      const child = project.start(['up']);
      const end = finished(child);
      await said(child, ' starts ');
      child.kill('SIGTERM');
      await end;
      expect(project.survivors()).toEqual([]);
    }
    project.write('go', '');
    expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
    expect((await types()).at(-1)).toBe('done');
  });

  it('waits out a limit of use without spending a retry', async () => {
    begin({
      maker: `if (times < 3) { console.error('retry-after: 1'); process.exit(75); } send('done', 'user');`,
    });
    expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
    expect(project.read('maker.log').trim().split('\n')).toHaveLength(4);
    expect((await types()).at(-1)).toBe('done');
  });
});

describe('gates', () => {
  it('hold a message back until their program succeeds', async () => {
    begin(
      {
        maker: `
          if (prompt.includes('exit code 3')) writeFileSync('evidence', '');
          send('done', 'user');`,
      },
      smallTeam.replace(
        'closes: true',
        'closes: true, gates: [{ run: [sh, -c, "test -e evidence || exit 3"], timeout: 10s }]',
      ),
    );
    expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
    expect(project.read('maker.log').trim().split('\n')).toHaveLength(2);
  });
});
