import { tmpdir } from 'node:os';
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
  ask: { gate: { message: Ship it?, approvers: [lead] } }
`;

const shows = (text: string) => (lines: readonly string[]) => lines.some((line) => line.includes(text));

it('`up` takes keys, gives the keyboard back, and ends by Ctrl-C', async () => {
  project = playProject(smallTeam, {});
  session = new TerminalSession(project, ['up'], { columns: 60 });
  await session.until(shows('? keys'));
  session.press('?');
  await session.until(shows('p  pause everything, or unpause it'));
  session.press('p');
  const heading = (lines: readonly string[]) => lines.some((line) => line.trim() === 'everything is paused');
  await session.until(heading);
  session.press('p');
  await session.until((lines) => !heading(lines));
  session.press('\u0003');
  expect(await session.ended).toBe(0);
  expect(session.lines().at(-1)).toBe('stopped');
});

it('`a` in `up` asks for the answer to a request, and the role continues', async () => {
  project = playProject(smallTeam, {
    maker: `if (type === 'task') send('question', 'user', 'Red or blue?'); else send('done', 'user', mail[0]);`,
  });
  project.write('agents/maker/inbox/task.md', 'Make it\n');
  const env = { VISUAL: '', EDITOR: '' };
  session = new TerminalSession(project, ['-C', project.root, 'up'], { env, cwd: tmpdir() });
  await session.until(shows('maker → user: question'));
  session.press('w');
  await session.until(shows(`  mailroom -C ${project.root} reply`));
  session.press('w');
  session.press('a');
  await session.until(shows('Your answer to'));
  session.press('Blue\r');
  await session.until(shows('maker → user: done'));
  await session.until(shows('? keys'));
  const [done = ''] = project.list('agents/user/inbox').filter((name) => name.includes('-done-'));
  expect(project.read(`agents/user/inbox/${done}`)).toContain('Blue');
});

it('`a` in `run` asks for the answer to the gate that waits', async () => {
  project = playProject(smallTeam, {}, { 'workflows/ship.yaml': gated });
  const env = { MAILROOM_USER: 'lead' };
  session = new TerminalSession(project, ['run', 'ship'], { columns: 60, env });
  await session.until(shows('waits for approval'));
  session.press('w');
  await session.until(shows('w closes this'));
  expect(session.lines().join('\n')).toMatch(/^ask waits for .*\n {2}mailroom approve \w{6} ask --as lead$/m);
  session.press('w');
  await session.until(shows('? keys'));
  session.press('a');
  await session.until(shows('● approve'));
  session.press('\u001b[B\r');
  await session.until((lines) => /same as `mailroom reject \w{6} ask`/.test(lines.join('')));
  await session.until(shows('run '));
  expect(await session.ended).toBe(1);
  expect(session.lines().join('\n')).toMatch(/ask.*rejected/);
});

it('`p` in `run` pauses the run, and lets it go on', async () => {
  const slow = `name: slow
version: '1'
timeout: 5m
steps:
  one: { command: [sh, -c, 'while ! test -e go; do sleep 0.05; done'] }
  two: { command: [touch, two], depends_on: [one] }
`;
  project = playProject(smallTeam, {}, { 'workflows/slow.yaml': slow });
  session = new TerminalSession(project, ['run', 'slow'], { columns: 60 });
  await session.until(shows('? keys'));
  session.press('p');
  await session.until(shows('paused by '));
  project.write('go', '');
  await session.until(shows('one SUCCEEDED'));
  await session.until(shows('1 done · 0 running · paused'));
  session.press('p');
  expect(await session.ended).toBe(0);
  expect(session.lines().join('\n')).toContain('two SUCCEEDED');
});

/** Prints, and then runs until it is stopped. */
const endless = `
console.log('reading the task');
console.log('comparing every file of the project with its test, one by one');
await new Promise(() => setInterval(() => undefined, 60_000));
`;

it('`o` in `up` shows what a turn prints, with commands for the folder of the person', async () => {
  project = playProject(smallTeam, { maker: endless });
  project.write('agents/maker/inbox/task.md', 'Make it\n');
  session = new TerminalSession(project, ['-C', project.root, 'up'], { columns: 60, cwd: tmpdir() });
  await session.until(shows('maker starts t1'));
  session.press('o');
  const screen = await session.until(
    (lines) => lines.at(-1) === 'o closes this' && shows('with its test')(lines),
  );
  const at = screen.findIndex((line) => line.startsWith('maker t1; all of it:'));
  expect(screen.slice(at).join('')).toContain(`\`mailroom -C ${project.root} show t1\``);
  expect(screen.slice(-4)).toEqual([
    '  reading the task',
    '  comparing every file of the project with its test, one by',
    '    one',
    'o closes this',
  ]);
  session.press('o');
  await session.until((lines) => !shows('reading the task')(lines) && shows('? keys')(lines));
  session.press('p');
  await session.until((lines) => lines.join('').includes(`\`mailroom -C ${project.root} pause all\``));
  session.press('\u0003');
  expect(await session.ended).toBe(0);
});

const talking = `
name: build
version: '1'
timeout: 5m
steps:
  compile: { command: [sh, -c, "echo compiling the core; echo compiling the rest; exec sleep 60"] }
`;

it('a running step shows its last line in `run`, and `o` shows more of them', async () => {
  project = playProject(smallTeam, {}, { 'workflows/build.yaml': talking });
  session = new TerminalSession(project, ['run', 'build'], { columns: 60 });
  await session.until((lines) =>
    lines.some((line) => /^▸ compile {2}\d+s {2}compiling the rest$/.test(line)),
  );
  session.press('o');
  const screen = await session.until(
    (lines) => lines.at(-1) === 'o closes this' && shows('compiling the core')(lines),
  );
  const at = screen.findIndex((line) => / *\w{6}\/compile; all of it:/.test(line));
  expect(screen.slice(at).join('\n')).toMatch(/`mailroom logs \w{6} --follow --step compile`/);
  expect(screen.slice(-3)).toEqual(['  compiling the core', '  compiling the rest', 'o closes this']);
  session.press('\u0003');
  expect(await session.ended).toBe(130);
});

const asked = `
name: ask
version: '1'
timeout: 5m
steps:
  make: { role: maker, instructions: Make it. }
`;

it('`o` in `run` says where to look for what a role does', async () => {
  project = playProject(smallTeam, { maker: endless }, { 'workflows/ask.yaml': asked });
  session = new TerminalSession(project, ['run', 'ask']);
  await session.until(shows('▸ make'));
  session.press('o');
  await session.until(shows('/make; all of it: `mailroom status`'));
  await session.until(shows('  a role performs it, in a turn of its own'));
  session.press('\u0003');
  expect(await session.ended).toBe(130);
});
