import { Argument, type Command } from 'commander';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { makeProgram } from '../../src/cli/program.ts';
import { version } from '../../src/documents/common.ts';
import { runVerdict } from '../../src/documents/runs.ts';
import { workerStatus } from '../../src/documents/status.ts';
import { extensions } from '../../src/extensions/list.ts';
import { promptContexts } from '../../src/languages/shared/prompt-contexts.ts';
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

/** The part of a page under a heading. */
function section(page: string, heading: string): string {
  return page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
}

/** The options in the lists of a page. */
function told(text: string): string[] {
  return [...text.matchAll(/^- `(-[^`]+)`/gm)].map(([, option]) => option ?? '').toSorted();
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

/** The options on the page of a command, with those of a run and `--json`, which other pages have. */
function optionsOf(page: string): string[] {
  const ofRun = /^Options: \[those of a run\]/m.test(page)
    ? told(section(pages.get('run') ?? '', 'Options of a run'))
    : [];
  const json = /^```json|document: (?:of a run )?as \[/m.test(page) ? ['--json'] : [];
  return [...new Set([...told(page), ...ofRun, ...json])].toSorted();
}

describe('docs/commands.md', () => {
  it('lists every command as the help does, and no other', () => {
    const listed = [...index.matchAll(/^- \[`(.+)`\]\(commands\/(.+)\.md\): (.+(?:\n {2}.+)*)$/gm)];
    expect(listed.map(([, name, page, does = '']) => [name, page, does.replaceAll(/\s+/g, ' ')])).toEqual(
      commands.map((command) => [command.name(), command.name(), command.description()]),
    );
    expect([...pages.keys()].toSorted()).toEqual(commands.map((command) => command.name()).toSorted());
  });

  it('has the options of every command', () => {
    expect(told(section(index, 'Options of every command'))).toEqual(flags(program));
  });

  it.each(commands.map((command) => [command.name(), command] as const))(
    'tells how to call %s, its options, exit codes and document',
    (name, command) => {
      const text = pages.get(name) ?? '';
      expect(text.startsWith(`# \`${name}\`\n`)).toBe(true);
      expect(text).toContain(`\n    mailroom ${name} ${command.usage()}\n`);
      expect(optionsOf(text)).toEqual(flags(command));
      expect(text).toContain('Exit codes');
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

/** Documents that the tests of their extensions compare. */
const elsewhere = ['nip'];
/** The examples of documents on the pages, by what stands behind `json`. */
const examples = new Map(
  [...[index, ...pages.values()].join('\n').matchAll(/^```json (.+)\n([^]+?)^```$/gm)].map(
    ([, what, text]) => [what ?? '', JSON.parse(text ?? '') as unknown],
  ),
);
for (const what of elsewhere) examples.delete(what);

/** Of those that need more than a project: their schemas. */
const schemas: Readonly<Record<string, z.ZodType>> = {
  approve: runVerdict,
  promptContexts: promptContexts.element,
  workers: z.strictObject({ schema: version, workers: z.array(workerStatus) }),
};

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
      planDocument(
        workflow,
        { ...data, parameters: {} },
        {
          checked: { ok: true, value: workflow, warnings: [] },
          promptContexts: () => [],
        },
      ),
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
      if (rest[0] === '--price')
        return ((await full.json('check', '--price')).document as { prices: unknown[] }).prices[0];
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
  it.each(Object.entries(schemas))('%s has the shape of the real one', (what, schema) => {
    expect(schema.safeParse(examples.get(what)).error).toBeUndefined();
  });

  it.each([...examples.keys()].filter((what) => !(what in schemas)))(
    '%s has the keys of the real one',
    async (what) => {
      const shown = keys(examples.get(what));
      const found = keys(await real(what));
      // What is empty or null on one side says nothing of the keys below it.
      const known = (list: string[], key: string) =>
        list.some((other) => other.startsWith(key.slice(0, key.lastIndexOf('.') + 1)));
      expect(shown.filter((key) => !found.includes(key) && known(found, key))).toEqual([]);
      expect(found.filter((key) => !shown.includes(key) && known(shown, key))).toEqual([]);
      expect(shown.length).toBeGreaterThan(0);
    },
  );

  it.each([
    ['reply', 'send'],
    ['unpause', 'pause'],
    ['cancel', 'pause'],
    ['retry', 'pause'],
  ])('that of %s is as the one of %s', async (what, shown) => {
    expect(pages.get(what)).toContain(`[\`${shown}\`](${shown}.md)`);
    expect(Object.keys(Object(await real(what)))).toEqual(Object.keys(Object(examples.get(shown))));
  });
});
