import { Argument, type Command } from 'commander';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeProgram } from '../../src/cli/program.ts';
import { extensions } from '../../src/extensions/list.ts';
import { resumptionOf } from '../../src/workflow/machine/resumption.ts';
import { documentOf } from '../../src/workflow/machine/view.ts';
import { planDocument } from '../../src/workflow/runs/plan.ts';
import { runRow, runSummary } from '../../src/workflow/runs/summary.ts';
import { World } from '../workflow/machine/world.ts';
import { ProjectFixture } from './project-fixture.ts';
import { letter } from './team.ts';

const docs = new URL('../../docs/', import.meta.url);
const index = readFileSync(new URL('commands.md', docs), 'utf8');
/** The pages of docs/commands/ by the name of their command. */
const pages = new Map(
  readdirSync(new URL('commands/', docs)).map((file) => [
    file.replace(/\.md$/, ''),
    readFileSync(new URL(`commands/${file}`, docs), 'utf8'),
  ]),
);

/** The options in the tables of a text. */
function told(text: string): string[] {
  return [...text.matchAll(/^\| `(-[^`]+)`/gm)].map(([, option]) => option ?? '').toSorted();
}

function flags(command: Command): string[] {
  return command.options
    .filter(({ hidden }) => !hidden)
    .map((option) => option.flags)
    .toSorted();
}

const fixture = new ProjectFixture();
const { program } = makeProgram(fixture.start(), fixture.terminal, extensions);
const commands = program
  .createHelp()
  .visibleCommands(program)
  .filter((command) => command.name() !== 'help');

describe('docs/commands.md', () => {
  it('lists every command as the help does, and no other', () => {
    const listed = [...index.matchAll(/^\| \[`(.+)`\]\(commands\/(.+)\.md\) +\| (.+?) +\|$/gm)];
    expect(listed.map(([, ...cells]) => cells)).toEqual(
      commands.map((command) => [command.name(), command.name(), command.description()]),
    );
    expect([...pages.keys()].toSorted()).toEqual(commands.map((command) => command.name()).toSorted());
  });

  it('has the options of every command', () => {
    const section = index.split(/^## /m).find((part) => part.startsWith('Options of every command\n'));
    expect(told(section ?? '')).toEqual(flags(program));
  });

  it.each(commands.map((command) => [command.name(), command] as const))(
    'tells how to call %s, its options, exit codes and document',
    (name, command) => {
      const text = pages.get(name) ?? '';
      expect(text.startsWith(`# \`${name}\`\n`)).toBe(true);
      expect(text).toContain(`\n    mailroom ${name} ${command.usage()}\n`);
      expect(told(text)).toEqual(flags(command));
      expect(text).toContain('Exit codes');
      expect(text.includes('```json')).toBe(command.options.some(({ long }) => long === '--json'));
    },
  );

  it('gives every command an example in its help', async () => {
    for (const command of commands) {
      const { out } = await new ProjectFixture().run(command.name(), '--help');
      expect(out).toMatch(/\nExamples?:\n {2}\$ .*mailroom /);
    }
  });

  it('describes every argument', () => {
    for (const { registeredArguments } of commands)
      for (const argument of registeredArguments) {
        expect(argument).toBeInstanceOf(Argument);
        expect(argument.description).not.toBe('');
      }
  });
});

/** The examples of documents on the pages, by what stands behind `json`. */
const examples = new Map(
  [...[index, ...pages.values()].join('\n').matchAll(/^```json (.+)\n([^]+?)^```$/gm)].map(
    ([, what, text]) => [what ?? '', JSON.parse(text ?? '') as unknown],
  ),
);

/** The keys of a document, with those of what lies in it; of lists, those of all items together. */
function keys(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => keys(item, `${path}[]`)))];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    `${path}.${key}`,
    ...keys(inner, `${path}.${key}`),
  ]);
}

/** A project in which there is something of everything. */
function busy(): ProjectFixture {
  const full = new ProjectFixture();
  full.drop('agents/architect/inbox/flag.md', '# Add a --json flag\n');
  full.work('architect', { files: { 'd.md': letter('design', 'engineer', 'How to add it') } });
  full.work('engineer', { files: { 'r.md': letter('review-request', 'qa', 'Review') } });
  full.findings = [{ topic: 'git', state: 'ok', text: '2.39.5' }];
  const thread = full.id('Add a --json flag');
  full.prunable = [{ kind: 'turns', id: 't1', since: 0, bytes: 1, kept: null }];
  full.worktrees = [
    { thread, role: null, branch: `mailroom-${thread}`, path: '.', uncommitted: 1, unmerged: 0 },
  ];
  return full;
}

/** Documents of runs, which are not the fixture's matter. */
function ofRuns(): ReadonlyMap<string, unknown> {
  const world = new World('survey');
  world.done('survey');
  const { rules, state } = world;
  const { workflow } = rules;
  const estimate = () => ({ usd: null, tokens: null, price: null });
  const data = { budget: workflow.budget, estimate, slots: 1 };
  return new Map<string, unknown>([
    ['run', { schema: 1, ...documentOf(state, rules) }],
    [
      'runs',
      [
        runSummary(
          runRow(state, rules),
          { alive: true, pending: [] },
          { startedBy: 'person', person: 'ada' },
        ),
      ],
    ],
    ['resume', { schema: 1, run: 'r1', steps: resumptionOf(state, rules, null) }],
    [
      'plan',
      planDocument(workflow, data, {
        checked: { ok: true, value: workflow, warnings: [] },
        promptContexts: () => [],
      }),
    ],
  ]);
}

async function real(what: string): Promise<unknown> {
  const run = ofRuns().get(what);
  if (run !== undefined) return run;
  const full = busy();
  const [command = '', ...rest] = what.split(' ');
  const question = { 'q.md': letter('question', 'user', 'Which?') };
  switch (command) {
    case 'error':
      full.text = full.text.replace('from: [qa]', 'from: [quality]');
      return (await full.json('up')).document;
    case 'stop':
      full.up = false;
      return (await full.json('stop')).document;
    case 'send':
      return (await full.json('send', 'architect', '-m', 'x')).document;
    case 'inbox':
      full.work('qa', { files: question });
      return (await full.json('inbox')).document;
    case 'reply':
      full.work('qa', { files: question });
      return (await full.json('reply', full.id('Which?'), '-m', 'x')).document;
    case 'status':
      full.work('qa', { files: question });
      full.drop('agents/architect/inbox/more.md', 'More\n');
      full.work('architect', { fails: 'later', until: full.now + 3_600_000 });
      return (await full.json('status')).document;
    case 'why':
      return (await full.json('why', 'engineer')).document;
    case 'show':
      return (await full.json('show', rest[0] ?? full.id('Review'))).document;
    case 'check':
      full.text = full.text.replace('delivered:', 'lost: { from: [qa], to: [lead] }\n  delivered:');
      return (await full.json('check')).document;
    case 'validate':
    case 'workflows':
      full.disk.write('workflows/ship.yaml', 'name: ship\nversion: "1"\ntimeout: 1h\nsteps: { a: {} }\n');
      return (await full.json(command)).document;
    case 'pause':
    case 'unpause':
      return (await full.json(command, 'qa')).document;
    case 'cancel':
      return (await full.json('cancel', 't3')).document;
    case 'retry':
      await full.run('cancel', 't3');
      return (await full.json('retry', full.id('Review'))).document;
    default:
      return (await full.json(command, ...rest)).document;
  }
}

describe('the documents in docs/commands.md', () => {
  it.each([...examples.keys()])('%s has the keys of the real one', async (what) => {
    const shown = keys(examples.get(what));
    const found = keys(await real(what));
    // What is empty or null on one side says nothing of the keys below it.
    const known = (list: string[], key: string) =>
      list.some((other) => other.startsWith(key.slice(0, key.lastIndexOf('.') + 1)));
    expect(shown.filter((key) => !found.includes(key) && known(found, key))).toEqual([]);
    expect(found.filter((key) => !shown.includes(key) && known(shown, key))).toEqual([]);
    expect(shown.length).toBeGreaterThan(0);
  });
});
