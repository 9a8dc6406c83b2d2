import { resolve } from 'node:path';
import type { Context } from '../context.ts';
import { orElse } from '../../kernel/contained.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { json } from '../output.ts';
import { countedParts, printable } from '../format.ts';
import { heartbeatOf, startHeartbeat } from '../heartbeat.ts';
import { untilEnd } from '../until-end.ts';
import { upKeys } from '../host-keys.ts';
import { ProblemsError } from '../../project/definition/problems.ts';
import type { Controller } from '../../mail/controller/contract.ts';
import type { Project } from '../../project/project.ts';
import type { Progress } from '../progress.ts';
import type { Failures, Idle } from '../../host/idle.ts';
import type { MailStatus } from '../../documents/status.ts';

interface UpOptions {
  readonly detach?: boolean;
  readonly untilIdle?: boolean;
  readonly drain?: boolean;
  readonly record?: string;
  readonly replay?: string;
  readonly plain?: boolean;
  readonly heartbeat?: string;
  readonly serve?: boolean;
  readonly port?: string;
  readonly json?: boolean;
}

/** How an `up` ended. `stopped`: a signal ended it while work was left. */
interface Ending {
  readonly idle: Idle | 'stopped';
  readonly failures: Failures;
  /** The disk error that remained at the end; null: none. */
  readonly problem: string | null;
}

export async function up(context: Context, options: UpOptions): Promise<number> {
  context.outsideTurn('up');
  const project = context.project();
  context.announce();
  const interval = heartbeatOf(options.heartbeat, context.call.environment['CI']);
  if (options.serve === true) await refuseToServe(project, options);
  await refuseBadDefinition(project);
  if (options.detach === true) return detach(context, project, options);
  const shown: Shown = { progress: null };
  const page = await servePage(context, project, options, shown);
  try {
    return await control(context, project, options, interval, shown);
  } finally {
    await page?.end();
  }
}

/** What prints the lines of a controller; null: it is not there yet. */
interface Shown {
  progress: Progress | null;
}

/** What would keep the page from being served is said before anything starts. */
async function refuseToServe(project: Project, { port }: UpOptions): Promise<void> {
  const { portOf, refuseTakenPort } = await import('../../server/http/port.ts');
  const number = portOf(port);
  const { refuseSecond } = await import('../../up/beside.ts');
  refuseSecond(project);
  await refuseTakenPort(number);
}

/**
 * Starts `up` in a process of its own and returns once it works. Exit code 1: it did not start, and
 * what it printed is printed.
 */
async function detach(context: Context, project: Project, options: UpOptions): Promise<number> {
  const idle = options.untilIdle === true ? '--until-idle' : options.json === true ? '--json' : null;
  if (idle !== null)
    throw new MailroomError('E_USAGE', `\`${idle}\` does nothing with \`--detach\``, 'remove one of them');
  const { outputFile, startUpBeside } = await import('../../up/beside.ts');
  const { terminal, commandLine } = context;
  const started = await startUpBeside(project, wordsOf(context, options));
  if (started.pid === null) {
    const printed = started.printed === '' ? `it has not started yet; see ${outputFile}\n` : started.printed;
    terminal.complain(printable(printed));
    return 1;
  }
  terminal.print(
    `started: process ${String(started.pid)}, which prints into ${outputFile}\n` +
      `\`${commandLine('status --watch')}\` shows what it does, \`${commandLine('stop')}\` ends it\n`,
  );
  return 0;
}

/** The options that the other process gets. */
function wordsOf({ call }: Context, options: UpOptions): string[] {
  const { drain, serve, port, record, replay, heartbeat } = options;
  const values = {
    port,
    heartbeat,
    record: record === undefined ? undefined : resolve(call.cwd, record),
    replay: replay === undefined ? undefined : resolve(call.cwd, replay),
  };
  return [
    '--plain',
    ...(drain === true ? ['--drain'] : []),
    ...(serve === true ? ['--serve'] : []),
    ...Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}=${value}`])),
  ];
}

/** Serves the page if it is asked for. The key of its address is for people, not for logs. */
async function servePage(
  { terminal }: Context,
  project: Project,
  { serve, port }: UpOptions,
  shown: Shown,
): Promise<{ end(): Promise<void> } | null> {
  if (serve !== true) {
    if (port === undefined) return null;
    throw new MailroomError('E_USAGE', '`--port` needs `--serve`', 'add --serve');
  }
  const page = await project.serve(port ?? null, (text) => {
    if (shown.progress === null) terminal.complain(`${text}\n`);
    else shown.progress.say(text);
  });
  const isForPeople = terminal.interactive;
  const address = isForPeople ? page.address : page.address.replace(/#.*/, '');
  const where = isForPeople ? '' : '; its key is in .mailroom/api/keys.json';
  terminal.complain(`page: ${address}${where}\n`);
  return page;
}

async function control(
  context: Context,
  project: Project,
  options: UpOptions,
  interval: number | null,
  shown: Shown,
): Promise<number> {
  const { startProgress, turnsUnderWay } = await import('../progress.ts');
  const { paintedRun } = await import('../run-progress.ts');
  const colours = options.json === true ? context.terminal.errorColours : context.terminal.colours;
  const absolute = (folder: string | undefined) =>
    folder === undefined ? null : resolve(context.call.cwd, folder);
  const controller = await context.call.up(
    project,
    {
      untilIdle: options.untilIdle === true,
      record: absolute(options.record),
      triggers: true,
      onChange: (state, events) => shown.progress?.look(state, events),
      onRun: (change) => shown.progress?.say(paintedRun(change, colours)),
    },
    absolute(options.replay),
  );
  // A script that waits for the end is about something that soon is not there.
  if (context.terminal.interactive || options.untilIdle !== true) remember(context, project.root);
  const live = context.terminal.interactive && options.plain !== true && options.json !== true;
  const quiet = options.json === true;
  const keys = live ? upKeys(context, project, controller) : null;
  shown.progress = startProgress(context.terminal, controller, { keys, quiet });
  const { terminal } = context;
  const forget = startHeartbeat(
    terminal,
    live ? null : interval,
    (text) => shown.progress?.say(text),
    (least) => turnsUnderWay(controller, terminal.now(), least),
  );
  try {
    const ending = await run(context, controller, shown.progress, options.drain === true);
    await shown.progress.close();
    return printEnd(context, project, controller, ending, options);
  } finally {
    forget();
    await shown.progress.close();
  }
}

/** Lists the project for `status --all`. `up` also starts where the list cannot be written. */
function remember({ call }: Context, root: string): void {
  orElse(() => call.projects.add(root), undefined);
}

/** A protocol with errors must not start. Makes what a fresh clone lacks. */
async function refuseBadDefinition(project: Project): Promise<void> {
  const definition = await project.definition();
  if (!definition.ok) throw new ProblemsError(definition.problems);
  const workspace = await project.workspaceProblem(definition.value.protocol);
  if (workspace !== null) throw new ProblemsError([workspace]);
  project.prepare(definition.value.protocol);
}

async function run(
  { terminal }: Context,
  controller: Controller,
  progress: Progress,
  drain: boolean,
): Promise<Ending> {
  const ending = {
    stopping: drain ? 'Stopping once running turns have finished' : 'Stopping',
    atOnce: 'ended at once; the next `mailroom up` cleans up',
    end: () => controller.end(drain ? 'drain' : 'stop'),
  };
  const { value, signalled } = await untilEnd(terminal, progress, ending, () => controller.run());
  return signalled ? { ...value, idle: 'stopped' } : value;
}

async function printEnd(
  context: Context,
  project: Project,
  controller: Controller,
  { idle, failures, problem }: Ending,
  options: UpOptions,
): Promise<number> {
  const { terminal } = context;
  if (options.json === true) {
    const { ownStatus } = await import('../progress.ts');
    const status = ownStatus(controller, terminal.now(), problem === null ? [] : [problem]);
    terminal.write(json(endDocument(idle, countOf(failures), status, project.root)));
  } else if (options.untilIdle === true && idle !== 'stopped') {
    const why = idle === 'stuck' ? await stuckWords(context, project, controller, problem) : '';
    terminal.write(`idle: ${await idleWords(context, project, idle, failures)}${why}\n`);
  } else terminal.write('stopped\n');
  if (options.untilIdle !== true) return 0;
  if (idle === 'stopped') return 130;
  return countOf(failures) > 0 || problem !== null ? 1 : 0;
}

/** What is stuck and why, as `status` and `why` say it. */
async function stuckWords(
  context: Context,
  project: Project,
  controller: Controller,
  problem: string | null,
): Promise<string> {
  const { mailWhys } = await import('../host-keys.ts');
  const problems = problem === null ? [] : [problem];
  const whys = mailWhys(context, project, controller, problems);
  const lines = whys.length > 0 ? whys : problems;
  return [...lines.slice(0, mostReasons), ...(lines.length > mostReasons ? ['…'] : [])]
    .map((each) => `\n  ${each}`)
    .join('');
}

/** Lines of reasons below `idle: stuck`. */
const mostReasons = 8;

function countOf({ threads, files }: Failures): number {
  return threads + files;
}

/** Why nothing more happens, and the command that shows what to do. */
async function idleWords(
  { commandLine }: Context,
  project: Project,
  idle: Idle,
  failures: Failures,
): Promise<string> {
  const see = (words: string) => `see \`${commandLine(words)}\``;
  switch (idle) {
    case 'waiting_for_user':
      return `waiting for ${await waitedFor(project)}; ${see('inbox')}`;
    case 'stuck':
      return `stuck; ${see('status')}`;
    default: {
      const failed = countedParts([failures.threads, 'thread'], [failures.files, 'file']);
      return failed.length > 0 ? `failed (${failed.join(', ')}); ${see('inbox')}` : idle;
    }
  }
}

/** The people who have something to answer; without names once the protocol cannot be read. */
async function waitedFor(project: Project): Promise<string> {
  const { readWaiting } = await import('../../mail/questions/inbox.ts');
  const people = new Set((await readWaiting(project)).flatMap(({ to }) => to));
  return [...people].toSorted().join(', ') || 'a person';
}

function endDocument(idle: Ending['idle'], failures: number, status: MailStatus, project: string) {
  const { roles, threads, cost, problems } = status;
  return { schema: 1, project, idle, failures, roles, threads, cost, problems };
}
