import { afterEach, expect, it } from 'vitest';
import { TerminalSession } from '../support/keyboard.ts';
import { playProject, smallTeam } from '../support/play.ts';
import { said, type TestProject } from '../support/project.ts';

let project: TestProject;
afterEach(() => project.remove());

const team = smallTeam
  .replace(
    '  answer: {',
    `  refusal: { from: user, to: maker, fields: { why: { type: string, enum: [later, never], required: true } } }
  answer: {`,
  )
  .replace(
    'question: { from: [maker, checker], to: user, reply: [answer]',
    'question: { from: [maker, checker], to: user, reply: [answer, refusal]',
  );

/** An editor that writes this above what it is given. */
const editor =
  'printf "Not now, please.\\n" | cat - "$1" > "$1.new" && cp "$1" seen.md && mv "$1.new" "$1"\n';

async function asked(): Promise<void> {
  project = playProject(team, { maker: `if (type === 'task') send('question', 'user', 'Red or blue?');` });
  project.write('agents/maker/inbox/task.md', 'Make it\n');
  project.write('edit.sh', editor);
  project.write('give-up.sh', 'exit 1\n');
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
}

const keys = { enter: '\r', down: '\u001b[B', escape: '\u001b', interrupt: '\u0003' } as const;

/** The program on a terminal, of a person with this environment. */
function at(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const terminal = new TerminalSession(project, words, { env: { VISUAL: '', EDITOR: '', ...environment } });
  return {
    shows: (shown: string) => terminal.until((lines) => lines.join('\n').includes(shown)),
    press: (...pressed: readonly (keyof typeof keys)[]) => {
      for (const key of pressed) terminal.press(keys[key]);
    },
    type: (typed: string) => terminal.press(typed),
    end: () => terminal.ended,
  };
}

const drafts = () =>
  project.list('agents/user/outbox').map((name) => project.read(`agents/user/outbox/${name}`));

it('asks a person at a terminal for an answer, with its text in her editor', async () => {
  await asked();
  const terminal = at(['reply'], { EDITOR: 'nothing-of-that-name', VISUAL: 'sh edit.sh' });
  await terminal.shows('question from maker: Red or blue?');
  await terminal.shows('Which answer?');
  terminal.press('down', 'enter');
  await terminal.shows('why?');
  terminal.press('down', 'enter');
  expect(await terminal.end()).toBe(0);
  expect(drafts()).toEqual([expect.stringContaining('---\nNot now, please.\n')]);
  expect(drafts()[0]).toContain('type: "refusal"');
  expect(drafts()[0]).toContain('fields: {"why":"never"}');
  expect(project.read('seen.md')).toContain('maker asks (question): Red or blue?');
  expect(await project.run(['up', '--until-idle'])).toMatchObject({ code: 0 });
  const trail = JSON.parse((await project.run(['trail', '--json'])).stdout) as { type: string }[];
  expect(trail.slice(0, 3).map(({ type }) => type)).toEqual(['task', 'question', 'refusal']);
});

it('takes a line where there is no editor, or it does not start', async () => {
  await asked();
  const terminal = at(['reply', '--type', 'answer'], { EDITOR: './nothing-of-that-name' });
  await terminal.shows('Your answer to “Red or blue?”');
  terminal.type('Blue.');
  await terminal.shows('Blue.');
  terminal.press('enter');
  expect(await terminal.end()).toBe(0);
  expect(drafts()).toEqual([expect.stringContaining('---\nBlue.\n')]);
});

it('sends nothing when it is cancelled, at a question or in the editor', async () => {
  await asked();
  for (const key of ['escape', 'interrupt'] as const) {
    const terminal = at(['reply']);
    await terminal.shows('Which answer?');
    terminal.press(key);
    expect(await terminal.end()).toBe(130);
    await terminal.shows('error E_CANCELLED: nothing was sent');
  }
  for (const [command, why] of [
    ['sh give-up.sh', '`sh give-up.sh` ended with an error: nothing was sent'],
    ['true', 'the text is empty: nothing was sent'],
  ] as const) {
    const terminal = at(['reply', '@1', '--type', 'answer'], { EDITOR: command });
    expect(await terminal.end()).toBe(130);
    await terminal.shows(`error E_CANCELLED: ${why}`);
  }
  expect(drafts()).toEqual([]);
});

it('asks which gate is approved, and who approves it', async () => {
  project = playProject(smallTeam, { maker: '' });
  const gates = ['paint', 'wash'].map(
    (gate) => `  ${gate}: { gate: { message: "May I ${gate} it?", approvers: [ada, bob] } }\n`,
  );
  project.write('workflows/ship.yaml', `name: ship\nversion: "1"\ntimeout: 1m\nsteps:\n${gates.join('')}`);
  const run = project.start(['run', 'ship', '--plain']);
  await said(run, 'May I wash it?');
  const ended = new Promise((resolve) => run.once('close', resolve));
  run.kill('SIGTERM');
  await ended;
  const terminal = at(['approve']);
  await terminal.shows('Which one?');
  terminal.press('down', 'enter');
  await terminal.shows('Who approves?');
  terminal.press('down', 'enter');
  expect(await terminal.end()).toBe(0);
  const { items } = JSON.parse((await project.run(['inbox', '--json'])).stdout) as {
    items: { id: string }[];
  };
  expect(items.map(({ id }) => id.replace(/^.*\//, ''))).toEqual(['paint']);
  const { runs } = JSON.parse((await project.run(['status', '--json'])).stdout) as {
    runs: { gates: { gate: string; recorded: unknown }[] }[];
  };
  expect(runs[0]?.gates.find(({ gate }) => gate === 'wash')?.recorded).toEqual({
    choice: 'approve',
    by: 'bob',
  });
  const shown = async (...words: string[]) =>
    JSON.parse((await project.run([...words, '--json'])).stdout) as { run: string };
  const { run: id } = await shown('show', '@1');
  expect(id).toBe(project.list('.mailroom/runs')[0]);
  for (const word of ['last', id.slice(0, 8), id.slice(-6), `…${id.slice(-6)}`])
    expect(await shown('show', word)).toMatchObject({ run: id });
  expect(await project.run(['logs', '@1'])).toMatchObject({ code: 0 });
  expect(await project.run(['resume', 'last', '--explain'])).toMatchObject({ code: 0 });
  expect((await shown('cancel', '@1')).run).toBe(id);
});
