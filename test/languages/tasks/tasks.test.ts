import { expect, test } from 'vitest';
import { languages } from '../../../src/languages/languages.ts';
import { parseWorkflow } from '../../../src/languages/parse.ts';
import { nowhere } from '../../support/nowhere.ts';
import { renderDiagnostics } from '../../../src/yaml/diagnostics.ts';
import { DiskGuard } from '../../../src/disk/disk-guard.ts';
import { RunProjector } from '../../../src/workflow/host/projector.ts';
import { World } from '../../workflow/machine/world.ts';
import { complete } from '../../../src/editing/complete.ts';
import { tasks } from './read.ts';

const read = (text: string) => parseWorkflow(text, 'tasks.yaml', nowhere, [...languages, tasks]);

test('a language that is one folder and one entry of the list has every check, in its own words', () => {
  const checked = read(`tasks:
  fetch: { run: [curl], after: [deploy], if: "tasks.build.state == 'done'" }
  build: { run: [make], after: [fetsh], if: "tasks.fetch.stat == 'fine'" }
  deploy: { run: [ship], after: [fetch], if: "tasks.dpeloy.state == 'fine'" }
`);
  const problems = checked.ok ? [] : checked.problems;
  expect(
    problems.map(({ place, message, hint }) => `${String(place?.line)}: ${message} (${String(hint)})`),
  ).toEqual([
    '2: `build` does not come before `fetch` (write `after: [build]` at `fetch`)',
    "2: `tasks.build.state` is never 'done' (it is one of `fine`, `broken`)",
    '3: no task is called `fetsh` (did you mean `fetch`?)',
    '3: a task has no `stat` (did you mean `state`?)',
    '4: these tasks wait for each other: fetch → deploy → fetch (one of them must come first)',
    '4: no task is called `dpeloy` (did you mean `deploy`?)',
  ]);
});

test('its workflows run', () => {
  const checked = read(`tasks:
  fetch: { run: [curl] }
  build: { run: [make], after: [fetch], if: "tasks.fetch.state == 'fine'" }
  mourn: { run: [weep], after: [fetch], if: "tasks.fetch.state != 'fine'" }
`);
  if (!checked.ok) throw new Error(renderDiagnostics(checked.problems));
  const world = new World(checked.value);
  expect(world.running).toEqual(['fetch']);
  world.done('fetch');
  expect(world.running).toEqual(['build']);
  world.done('build');
  expect(world.statuses).toBe('fetch SUCCEEDED, build SUCCEEDED, mourn SKIPPED');
  expect(world.state.status).toBe('SUCCEEDED');
});

test('it shows its runs in a document of its own, whose name and text only it knows', () => {
  const checked = read(`tasks: { fetch: { run: [curl] }, build: { run: [make], after: [fetch] } }`);
  if (!checked.ok) throw new Error(renderDiagnostics(checked.problems));
  const world = new World(checked.value);
  const documents = new Map<string, string>();
  const nothing = () => {};
  const record = (name: string, text: string) => void documents.set(name, text);
  const files = { meta: nothing, summary: nothing, record, export: () => true, convergence: nothing };
  const { document } = tasks.runs ?? {};
  const ports = { clock: { now: () => world.now }, files, ...(document && { document }) };
  const projector = new RunProjector(ports, world.rules, new DiskGuard());
  projector.project(world.state, world.history);
  expect([...documents]).toEqual([['tasks.txt', 'fetch is RUNNING\nbuild is PENDING\n']]);
  world.done('fetch');
  projector.finish(world.state);
  world.done('build');
  projector.project(world.state, world.history.slice(-1));
  expect(documents.get('tasks.txt')).toBe('fetch is SUCCEEDED\nbuild is SUCCEEDED\n');
});

test.each([
  ['a key', 'build:\n    r|', ['run']],
  ['a name', 'build:\n    after: [f|]', ['fetch']],
  ['what stands in an expression', 'build:\n    if: tasks.fetch.st|', ['state']],
])('editors complete %s', (_what, text, labels) => {
  const typed = `tasks:\n  fetch: { run: [curl] }\n  ${text}`;
  const around = { roles: [], types: [], agents: [], providers: [], files: [] };
  const all = [...languages, tasks] as const;
  const found = complete(typed.replace('|', ''), typed.indexOf('|'), 'workflow', around, all);
  expect(found.map(({ label }) => label)).toEqual(labels);
});
