import { afterEach, expect, it } from 'vitest';
import { TerminalSession } from '../support/keyboard.ts';
import { playProject, smallTeam } from '../support/play.ts';
import type { TestProject } from '../support/project.ts';

let project: TestProject;
let session: TerminalSession | null = null;
afterEach(() => {
  session?.kill();
  project.remove();
});

const gated = `
name: ship
version: '1'
timeout: 5m
steps:
  ask: { gate: { message: Ship it? } }
`;

const shows = (text: string) => (lines: readonly string[]) => lines.some((line) => line.includes(text));

it('`up` takes keys, gives the keyboard back, and ends by Ctrl-C', { timeout: 60_000 }, async () => {
  project = playProject(smallTeam, {});
  session = new TerminalSession(project, ['up'], { columns: 60 });
  await session.until(shows('? keys'));
  session.press('?');
  await session.until(shows('p  pause everything, or unpause it'));
  session.press('p');
  await session.until(shows('everything is paused'));
  session.press('p');
  await session.until((lines) => !shows('everything is paused')(lines));
  session.press('\u0003');
  expect(await session.ended).toBe(0);
  expect(session.lines().at(-1)).toBe('stopped');
});

it('`a` in `up` asks for the answer to a request, and the role continues', { timeout: 60_000 }, async () => {
  project = playProject(smallTeam, {
    maker: `if (type === 'task') send('question', 'user', 'Red or blue?'); else send('done', 'user', mail[0]);`,
  });
  project.write('agents/maker/inbox/task.md', 'Make it\n');
  session = new TerminalSession(project, ['up'], { env: { VISUAL: '', EDITOR: '' } });
  await session.until(shows('maker → user: question'));
  session.press('w');
  await session.until(shows('  mailroom reply '));
  session.press('w');
  session.press('a');
  await session.until(shows('Your answer to'));
  session.press('Blue\r');
  await session.until(shows('maker → user: done'));
  await session.until(shows('? keys'));
  const [done = ''] = project.list('agents/user/inbox').filter((name) => name.includes('-done-'));
  expect(project.read(`agents/user/inbox/${done}`)).toContain('Blue');
});

it('`a` in `run` asks for the answer to the gate that waits', { timeout: 60_000 }, async () => {
  project = playProject(smallTeam, {}, { 'workflows/ship.yaml': gated });
  session = new TerminalSession(project, ['run', 'ship'], { columns: 60 });
  await session.until(shows('waits for a yes'));
  session.press('w');
  await session.until(shows('w closes this'));
  expect(session.lines().join('\n')).toMatch(/^ask: .*\n {2}mailroom approve \w{6} ask$/m);
  session.press('w');
  await session.until(shows('? keys'));
  session.press('a');
  await session.until(shows('● approve'));
  session.press('\u001b[B\r');
  await session.until(shows('run '));
  expect(await session.ended).toBe(1);
  expect(session.lines().join('\n')).toMatch(/ask.*rejected/);
});
