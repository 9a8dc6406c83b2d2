import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TerminalSession } from '../support/keyboard.ts';
import { playProject, smallTeam } from '../support/play.ts';
import { packageRoot, type TestProject } from '../support/project.ts';

let project: TestProject;
let shell: TerminalSession;

beforeEach(async () => {
  project = playProject(smallTeam, { maker: '' });
  project.write('agents/user/outbox/a.md', '---\nto: maker\ntype: task\n---\nAdd a flag\n');
  project.write('agents/user/outbox/b.md', '---\nto: maker\ntype: task\n---\nFix the parser\n');
  await project.run(['up', '--until-idle']);
  shell = new TerminalSession(project, ['--norc', '-i'], {
    columns: 60,
    command: ['bash'],
    env: { PATH: `${join(packageRoot, 'bin')}:${process.env['PATH'] ?? ''}`, HISTFILE: '' },
  });
  shell.press('bind "set enable-bracketed-paste off"; clear\n');
  shell.press('eval "$(mailroom completion bash)"; echo ready\n');
  await shell.until((lines) => lines.includes('ready'));
});

afterEach(() => {
  shell.kill();
  project.remove();
});

it('bash lists ids with their subjects, and inserts only the id', async () => {
  // Alt-? lists at once; with Tab it depends on what the ids have in common.
  shell.press('mailroom trail \x1b?');
  const listed = await shell.until((lines) => lines.filter((line) => /thread: /.test(line)).length === 2);
  const [, id = ''] =
    listed.map((line) => /^(\w{6}) {2}thread: Fix the parser$/.exec(line)).find(Boolean) ?? [];
  expect(id).toMatch(/^\w{6}$/);
  expect(listed.filter((line) => /^\w{6} {2}thread: Add a flag$/.test(line))).toHaveLength(1);
  shell.press(`\x15mailroom trail ${id.slice(0, 5)}\t#`);
  await shell.until((lines) => lines.at(-1)?.endsWith(`mailroom trail ${id} #`) === true);
  shell.press('\nclear\n');
  await shell.until((lines) => lines.length === 1);
  // A menu puts whole entries on the line.
  shell.press('COMP_WORDS=(mailroom trail ""); COMP_CWORD=2; COMP_TYPE=37; _mailroom_complete mailroom\n');
  shell.press('printf "<%s>\\n" "${COMPREPLY[@]}"\n');
  await shell.until(
    (lines) => lines.includes(`<${id}>`) && lines.filter((line) => /^<\w{6}>$/.test(line)).length === 2,
  );
});
