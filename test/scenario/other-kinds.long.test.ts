import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { finished, said, TestProject } from '../support/project.ts';

const protocol = `
name: p
version: "1"
roles: { maker: { provider: human } }
messages: { task: { from: user, to: maker } }
`;
const workflow = 'name: w\nversion: "1"\ntimeout: 1m\nsteps:\n  hello: { command: [echo, hi] }\n';
const task = '---\ntype: task\nto: maker\nsubject: A task\n---\nDo it.\n';
const files = ['lock.json', 'boot', 'confirmed', 'contexts/x.json', 'parked/x'];
const folders =
  'refused tmp locks control incoming accepting held runs triggers contexts events parked'.split(' ');

/** Puts something of a kind at an absolute path. */
const kinds = {
  folder: (path: string) => void mkdirSync(join(path, 'in'), { recursive: true }),
  link: (path: string) => symlinkSync('nowhere/at/all', path),
  fifo: (path: string) => void execFileSync('mkfifo', [path]),
  socket: async (path: string) => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(path, listening));
    // Closing it would remove it.
    execFileSync('mv', [path, `${path}.kept`]);
    await new Promise((closed) => server.close(closed));
    execFileSync('mv', [`${path}.kept`, path]);
  },
  file: (path: string) => writeFileSync(path, 'x'),
} as const;
const words = {
  folder: 'a folder',
  link: 'a link',
  fifo: 'a fifo (named pipe)',
  socket: 'a socket',
  file: 'a file',
} as const;
type Kind = keyof typeof kinds;

const projects: TestProject[] = [];

afterEach(() => {
  for (const each of projects.splice(0)) each.remove();
});

function project(): TestProject {
  const made = new TestProject({
    'mailroom.yaml': 'trail: off\nsandbox: off\n',
    'protocols/p.yaml': protocol,
    'workflows/w.yaml': workflow,
  });
  projects.push(made);
  return made;
}

async function plant({ root }: TestProject, kind: Kind, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(root, '.mailroom', name);
    mkdirSync(dirname(path), { recursive: true });
    rmSync(path, { recursive: true, force: true });
    await kinds[kind](path);
  }
}

describe('something else in the place of what Mailroom keeps', () => {
  it.each([
    ...(['folder', 'link', 'fifo', 'socket'] as const).map((kind) => [kind, 'file', files] as const),
    ...(['file', 'link', 'fifo', 'socket'] as const).map((kind) => [kind, 'folder', folders] as const),
  ])('a %s for a %s: up and run start, and name it once', async (kind, place, names) => {
    const made = project();
    const notes = names.map(
      (name) => `.mailroom/${name} was moved to .mailroom/refused/: it is ${words[kind]}, not a ${place}\n`,
    );
    await plant(made, kind, names);
    const up = await made.run(['up', '--until-idle', '--plain']);
    expect(up).toMatchObject({ code: 0, stderr: '' });
    for (const note of notes) expect(up.stdout.split(note)).toHaveLength(2);
    expect((await made.run(['up', '--until-idle', '--plain'])).stdout).not.toContain('refused');

    await plant(made, kind, names);
    const run = await made.run(['run', 'w', '--plain']);
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('SUCCEEDED') as string });
    expect((await made.run(['run', 'w', '--plain'])).stdout).not.toContain('moved to .mailroom/refused');
  });

  it.each(['file', 'link', 'fifo', 'socket'] as const)(
    'a %s for a folder while up works: it says so, and the mail moves once the folder can be made',
    async (kind) => {
      const made = project();
      const up = made.start(['up', '--plain']);
      const end = finished(up);
      await said(up, 'p: 2 roles');
      const places = folders.filter((name) => name !== 'locks' && name !== 'refused');
      await plant(made, kind, places);
      made.drop('agents/user/outbox/x.md', task);
      if (kind !== 'link') await said(up, ': not a directory');
      for (const name of places) rmSync(join(made.root, '.mailroom', name));
      await expect.poll(() => made.list('agents/maker/inbox')).toHaveLength(1);
      up.kill('SIGTERM');
      expect(await end).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it.each(['file', 'link', 'fifo', 'socket'] as const)(
    'a %s for the folder of runs: what only reads says so, or that there are none',
    async (kind) => {
      const made = project();
      await plant(made, kind, ['runs']);
      const status = await made.run(['status']);
      expect(status).toMatchObject({ code: 0, stderr: '' });
      expect(status.stdout).toContain(
        `problem     .mailroom/runs is ${words[kind]}, not a folder: the next run moves it to .mailroom/refused/\n`,
      );
      expect(await made.run(['runs'])).toMatchObject({ code: 0, stdout: 'there are no runs\n' });
      for (const command of [['inbox'], ['why', 'maker']])
        expect(await made.run(command)).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it('a folder for a file while up works: the mail moves', async () => {
    const made = project();
    const up = made.start(['up', '--plain']);
    const end = finished(up);
    await said(up, 'p: 2 roles');
    await plant(made, 'folder', files);
    made.drop('agents/user/outbox/x.md', task);
    await expect.poll(() => made.list('agents/maker/inbox')).toHaveLength(1);
    up.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 0, stderr: '' });
  });
});
