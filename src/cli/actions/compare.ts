import { basename, relative, resolve } from 'node:path';
import { counted } from '../../kernel/enumerate.ts';
import { formatDuration } from '../../kernel/duration.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { isJsonObject, type Json, parseJson, valueAt } from '../../kernel/json.ts';
import { readCosts } from '../../mail/questions/read-costs.ts';
import { Comparison, runIn } from '../../project/compare.ts';
import { parseSettings } from '../../project/compare-settings.ts';
import { ProblemsError } from '../../project/definition/problems.ts';
import type { Project } from '../../project/project.ts';
import type { Context } from '../context.ts';
import { table } from '../format.ts';
import { answer, type AsJson } from '../output.ts';
import { openWorkflow } from '../workflow-place.ts';

interface CompareOptions extends AsJson {
  readonly with?: readonly string[];
  readonly to?: string;
  readonly name?: string;
  readonly param?: readonly string[];
}

/** A side after its run. */
type Done = ReturnType<typeof documentOf> & Awaited<ReturnType<Comparison['take']>>;

type Side = Awaited<ReturnType<Comparison['prepare']>>[number];

/** The task as a side does it: a command that prints one document at its end. */
type Task = (side: Side) => readonly string[];

/**
 * Does a task twice, under two settings, each in a clone of the repository. Exit code 0: both sides
 * finished it; 1: one of them did not; 130: a signal stopped it.
 */
export async function compare(context: Context, task: string, options: CompareOptions): Promise<number> {
  const { call, terminal } = context;
  context.outsideTurn('compare');
  const given = options.with ?? [];
  if (given.length === 0 || given.length > 2)
    throw new MailroomError(
      'E_USAGE',
      'a comparison needs one or two `--with`',
      'name what differs, such as `--with system_prompt=short`',
    );
  const settings = (given.length === 1 ? ['', ...given] : given).map((text) =>
    text === '' ? [] : parseSettings(text),
  );
  const project = context.project();
  context.announce();
  const does = await taskOf(context, project, task, options);
  const name = nameOf(options.name ?? basename(task).replace(/\.\w+$/, ''));
  const comparison = new Comparison(project, name, call);
  const sides = await comparison.prepare(settings);
  const done: Done[] = [];
  let stopped = false;
  for (const [index, side] of sides.entries()) {
    if (stopped) break;
    const words =
      given.length === 1 && index === 0 ? 'as the project is' : (given.at(index - given.length) ?? '');
    terminal.complain(`${side.name}: ${words} …\n`);
    const started = terminal.now();
    const running = runIn(side, does(side));
    const forget = terminal.onSignal(() => {
      stopped = true;
      running.signal('SIGINT');
    });
    const ended = await running.over;
    forget();
    const time = terminal.now() - started;
    const work = await comparison.take(side);
    done.push({ ...documentOf(side, words, ended, time, terminal.now()), ...work });
  }
  const last = done.at(-1)?.branch ?? '';
  const document = { schema: 1, name, sides: done, keep: `git merge ${last}`, remove: comparison.removal };
  answer(terminal, options, document, () => [
    ...sideLines(done),
    '',
    `See what differs:  git diff ${comparison.branches.join(' ')}`,
    `Keep one:          ${document.keep}`,
    `Remove both:       ${document.remove}`,
  ]);
  if (stopped) return 130;
  return done.every(({ ok }) => ok) ? 0 : 1;
}

/** The command for a workflow, or for a message to the role that a thread begins with. */
async function taskOf(
  context: Context,
  project: Project,
  task: string,
  { to, param = [] }: CompareOptions,
): Promise<Task> {
  const { call } = context;
  const path = resolve(call.cwd, task);
  const text = /\.(?:ya?ml|json)$/.test(task) ? null : call.readText(path);
  if (text === null) {
    const { checked } = await openWorkflow(context, task);
    if (!checked.ok) throw new ProblemsError(checked.problems);
    const isFile = call.workflowFile(task) !== null;
    const parameters = param.flatMap((each) => ['--param', each]);
    return () => ['run', isFile ? relative(project.root, path) : task, ...parameters, '--json'];
  }
  const definition = await project.definition();
  if (!definition.ok) throw new ProblemsError(definition.problems);
  const role = to ?? definition.value.protocol.start?.to;
  if (role === undefined)
    throw new MailroomError('E_USAGE', 'the protocol has no `start`: who gets the task?', 'add --to <role>');
  return (side) => {
    side.project.drop(role, 'inbox', 'task.md', text);
    return ['up', '--until-idle', '--json'];
  };
}

/** Part of a branch and of a folder. */
function nameOf(text: string): string {
  const name = text.replaceAll(/[^\w-]+/g, '-').replaceAll(/^-+|-+$/g, '');
  if (name !== '') return name.slice(0, 60);
  throw new MailroomError('E_USAGE', `\`${text}\` is not a name`, 'use letters, digits, `_` and `-`');
}

function documentOf(
  { name, branch, project }: Side,
  settings: string,
  { code, stdout }: { readonly code: number | null; readonly stdout: string },
  time: number,
  now: number,
) {
  const { launches, cost } = readCosts(project, { by: 'role', since: null }, now).total;
  const document = parseJson(stdout) ?? null;
  const said =
    valueAt(document, ['idle']) ?? valueAt(document, ['status']) ?? valueAt(document, ['error', 'message']);
  return {
    side: name,
    settings,
    ok: code === 0,
    ended: typeof said === 'string' ? said : `exit code ${String(code)}`,
    turns: turnsIn(document),
    launches,
    ...cost,
    time,
    branch,
    folder: project.root,
  };
}

/** Null: a run has steps. */
function turnsIn(document: Json): number | null {
  const roles = valueAt(document, ['roles']);
  if (!Array.isArray(roles)) return null;
  return roles.reduce((sum: number, role) => sum + (isJsonObject(role) ? Number(role['turns']) : 0), 0);
}

function sideLines(sides: readonly Done[]): string[] {
  const rows: [string, (side: Done) => string][] = [
    ['settings', ({ settings }) => settings],
    ['ended', ({ ended }) => ended],
    ['turns', ({ turns }) => (turns === null ? '' : String(turns))],
    ['launches', ({ launches }) => String(launches)],
    ['tokens', ({ tokens }) => String(tokens)],
    [
      'dollars',
      ({ usd, unpriced }) => `$${usd.toFixed(4)}${unpriced === 0 ? '' : `, ${String(unpriced)} unpriced`}`,
    ],
    ['time', ({ time }) => formatDuration(Math.ceil(time / 1_000) * 1_000)],
    [
      'changes',
      ({ changes: { files, added, removed } }) =>
        `${counted(files, 'file')}, +${String(added)} -${String(removed)}`,
    ],
    ['not merged', ({ left }) => left.join(', ')],
    ['branch', ({ branch }) => branch],
    ['folder', ({ folder }) => folder],
  ];
  return table(
    ['', ...sides.map(({ side }) => side)],
    rows
      .map(([head, cell]) => [head, ...sides.map(cell)])
      .filter(([, ...cells]) => cells.some((text) => text !== '')),
  );
}
