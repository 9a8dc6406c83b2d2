import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { TestProject } from '../support/project.ts';
import { claude, codex, gemini, type Cli, type Tool } from './support/clis.ts';
import type { Answer, Asked } from './support/model.ts';
import { gather } from './support/team.ts';

const repository = new URL('../..', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, repository), 'utf8');

const cast: Readonly<Record<string, Cli>> = { architect: gemini, engineer: claude, qa: codex };

/** The protocol as it is shipped, with a program for each role. */
function protocol(): string {
  let text = read('protocols/feature-team.yaml');
  for (const [role, cli] of Object.entries(cast)) {
    text = text.replace(`  ${role}:\n`, `  ${role}:\n    provider: ${cli.name}\n    model: ${cli.model}\n`);
  }
  return text;
}

const files = {
  'protocols/feature-team.yaml': protocol(),
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }',
  'add.test.js':
    "import { test } from 'node:test';\nimport { equal } from 'node:assert';\nimport { add } from './add.js';\ntest('adds', () => equal(add(2, 3), 5));\n",
  ...Object.fromEntries(
    Object.keys(cast).map((role) => [`agents/${role}/role.md`, read(`agents/${role}/role.md`)]),
  ),
};

/** What a role does in one turn: tools one after the other, then its last words. */
type Turn = readonly [...Tool[], string];

/** A message, written by the tool of the role's program into the staging folder that its prompt names. */
function mail(role: string, { prompt }: Asked, head: string, text: string): Tool {
  const outbox = /into `([^`]+)`/.exec(prompt)?.[1] ?? '/nowhere';
  return cast[role]!.write(`${outbox}/message.md`, `---\n${head}\n---\n${text}\n`);
}

/** What each role does by what it was given. `reviews` counts those that qa was asked for. */
function play(role: string, asked: Asked, reviews: number): Turn {
  const send = (head: string, text: string) => mail(role, asked, head, text);
  switch (role) {
    case 'architect':
      return [send('type: design\nto: engineer', 'A function add in add.js.'), 'Designed.'];
    case 'qa': {
      const faulty = 'type: review-feedback\nto: engineer\nfields: { verdict: changes_requested }';
      const head = reviews === 1 ? faulty : 'type: delivered\nto: user';
      return [codex.shell('npm test'), send(head, 'As npm test says.'), 'Reviewed.'];
    }
    default:
      return engineer(asked, send);
  }
}

function engineer({ prompt }: Asked, send: (head: string, text: string) => Tool): Turn {
  const project = /`([^`]+)\/\.mailroom\/turns\//.exec(prompt)?.[1] ?? '/nowhere';
  const sign = prompt.includes('verdict: changes_requested') ? '+' : '-';
  return [
    claude.write(`${project}/add.js`, `export const add = (a, b) => a ${sign} b;\n`),
    claude.shell('npm test'),
    send('type: review-request\nto: qa', 'Please look.'),
    'Asked.',
  ];
}

it('moves a task through the shipped protocol: three programs, one change requested, delivered', async () => {
  const { project, model, env } = await gather(Object.values(cast), files);
  const seen: { role: string; asked: Asked }[] = [];
  let reviews = 0;
  model.plays((asked): Answer => {
    const role = /You are \*\*(\w+)\*\*/.exec(asked.prompt)?.[1] ?? 'nobody';
    seen.push({ role, asked });
    if (role === 'qa' && asked.results.length === 0) reviews += 1;
    const turn = play(role, asked, reviews);
    const step = turn[asked.results.length] ?? turn.at(-1);
    return typeof step === 'object' ? { say: 'I go on.', tools: [step] } : { say: String(step) };
  });
  project.drop('agents/architect/inbox/task.md', '# Add\n\nWe need add(a, b).\n');

  const recording = join(env['HOME'] ?? '', 'recording');
  const up = await project.run(['up', '--until-idle', '--plain', '--record', recording], env);
  expect(up).toMatchObject({ code: 0, stderr: '' });
  const { stdout } = await project.run(['trail', '--json'], env);
  const rows = JSON.parse(stdout) as { readonly type: string; readonly body: string }[];
  expect(rows.map(({ type }) => type)).toEqual([
    'task',
    'design',
    'review-request',
    'review-feedback',
    'review-request',
    'delivered',
  ]);
  expect(project.list('agents/user/inbox')).toHaveLength(1);
  // The tests really ran, by the right to run tests: first they failed, then they passed.
  const tested = seen.filter(({ role, asked }) => role === 'engineer' && asked.results.length === 2);
  expect(tested.map(({ asked }) => /pass 1/.test(asked.results[1] ?? ''))).toEqual([false, true]);
  // `session: thread`: the engineer still knows what was said in its first turn.
  const last = seen.findLast(({ role }) => role === 'engineer');
  expect(last?.asked.conversation).toContain('A function add in add.js.');
  expect(project.survivors()).toEqual([]);

  // The same thread again: no program, no model, and no key in what was recorded.
  const asked = model.asked.length;
  const names = readdirSync(recording).filter((name) => name.endsWith('.json'));
  expect(names).toHaveLength(5);
  const texts = names.map((name) => readFileSync(join(recording, name), 'utf8')).join('');
  expect(texts).not.toMatch(/no-secret|mailroom-test-/);
  const again = new TestProject({ ...files, 'mailroom.yaml': 'trail: off\n' });
  onTestFinished(() => again.remove());
  again.drop('agents/architect/inbox/task.md', '# Add\n\nWe need add(a, b).\n');
  const replayed = await again.run(['up', '--until-idle', '--plain', '--replay', recording]);
  expect(replayed).toMatchObject({ code: 0, stderr: '' });
  const second = JSON.parse((await again.run(['trail', '--json'])).stdout) as typeof rows;
  const told = (all: typeof rows) => all.map(({ type, body }) => [type, body]);
  expect(told(second)).toEqual(told(rows));
  expect(model.asked).toHaveLength(asked);
});
