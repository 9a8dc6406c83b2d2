import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { TestProject } from '../support/project.ts';

const agent = fileURLToPath(new URL('../fixtures/agents/acp.mjs', import.meta.url));

const team = `
name: one
version: "1"
roles:
  builder: { provider: fake, capabilities: [READ, EDIT], retries: 0, ask: user }
messages:
  task: { from: user, to: builder }
  done: { from: builder, to: user, closes: true }
start: { type: task, to: builder }
`;

const done = '---\ntype: done\nto: user\n---\nIt is built.';

/** A project whose agent wants to run a command before it says that it is done. */
function building(): TestProject {
  const project = new TestProject({
    'mailroom.yaml': 'trail: off\nsandbox: off\nproviders: { fake: { kind: acp, command: [./agent.mjs] } }\n',
    'protocols/one.yaml': team,
  });
  onTestFinished(() => project.remove());
  const command = 'touch built';
  const play = {
    capabilities: { sessionCapabilities: { resume: {} } },
    heard: join(project.root, 'heard'),
    prompts: [
      [
        {
          asks: {
            kind: 'execute',
            title: command,
            rawInput: { command },
            writes: join(project.root, 'built'),
          },
        },
        { say: done },
      ],
    ],
  };
  const program = [
    '#!/usr/bin/env node',
    `process.env.MAILROOM_PLAY = ${JSON.stringify(JSON.stringify(play))};`,
    `await import(${JSON.stringify(agent)});`,
  ];
  project.write('agent.mjs', `${program.join('\n')}\n`);
  chmodSync(join(project.root, 'agent.mjs'), 0o755);
  project.drop('agents/builder/inbox/task.md', 'Build it.\n');
  return project;
}

const up = ['up', '--until-idle', '--plain'];

it('asks a person, waits without a process, and continues with the answer', async () => {
  const project = building();
  expect(await project.run(up)).toMatchObject({ code: 0 });
  const inbox = await project.run(['inbox', '--json']);
  expect(JSON.parse(inbox.stdout)).toMatchObject({
    items: [
      {
        id: 't1',
        kind: 'approval',
        type: 'permission',
        from: 'builder',
        subject: 'touch built',
        reply_types: ['approve', 'reject'],
        command: 'mailroom approve t1',
      },
    ],
  });
  const { stdout: status } = await project.run(['status']);
  expect(status).toMatch(/t1 asks for approval for /);
  const { stdout: why } = await project.run(['why', 't1']);
  expect(why).toContain('turn t1 of builder waits until user decides about `touch built`');
  expect(why).toContain('mailroom approve t1');
  expect(project.list('agents/user/inbox')).toHaveLength(1);

  await project.run(['approve', '--comment', 'Go on.']);
  expect(await project.run(up)).toMatchObject({ code: 0 });
  expect(existsSync(join(project.root, 'built'))).toBe(true);
  const heard = readFileSync(join(project.root, 'heard'), 'utf8');
  expect(heard).toContain('"method":"session/resume"');
  expect(heard).toContain('What you asked for is allowed');
  const { stdout: after } = await project.run(['inbox', '--json']);
  expect(after).toContain('It is built.');
  expect(after).not.toContain('permission');
});

it('continues without what a person has refused', async () => {
  const project = building();
  await project.run(up);
  await project.run(['reject', 't1', '--comment', 'Not here.']);
  expect(await project.run(up)).toMatchObject({ code: 0 });
  const heard = readFileSync(join(project.root, 'heard'), 'utf8');
  expect(heard).toContain('Not here.');
  expect(heard).toContain('"optionId":"no"');
  expect(existsSync(join(project.root, 'built'))).toBe(false);
});

it('asks again in a replay, without the agent', async () => {
  const project = building();
  const folder = join(project.root, 'recording');
  await project.run([...up, '--record', folder]);
  await project.run(['reject', 't1', '--comment', 'Not here.']);
  expect(await project.run([...up, '--record', folder])).toMatchObject({ code: 0 });

  const again = building();
  again.write('agent.mjs', '#!/bin/sh\nexit 2\n');
  expect(await again.run([...up, '--replay', folder])).toMatchObject({ code: 0, stderr: '' });
  const asked = await again.run(['inbox', '--json']);
  expect(JSON.parse(asked.stdout)).toMatchObject({
    items: [{ id: 't1', kind: 'approval', subject: 'touch built', command: 'mailroom approve t1' }],
  });
  const [question = ''] = again.list('agents/user/inbox');
  expect(again.read(`agents/user/inbox/${question}`)).toContain('touch built');
  await again.run(['approve', 't1']);
  expect(await again.run([...up, '--replay', folder])).toMatchObject({ code: 0, stderr: '' });
  const { stdout } = await again.run(['inbox', '--json']);
  expect(stdout).toContain('It is built.');
  expect(stdout).not.toContain('permission');
  expect(existsSync(join(again.root, 'heard'))).toBe(false);
});
