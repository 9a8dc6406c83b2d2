import { logAt, startOfLast, type Log } from '../../disk/log.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { enumerate } from '../../kernel/enumerate.ts';
import { newestTurn } from '../../mail/questions/directory.ts';
import { show } from '../../mail/questions/show.ts';
import type { Project } from '../../project/project.ts';
import type { StoredRun } from '../../project/definition/contracts.ts';
import { innerOf, stepsIn } from '../../workflow/bodies.ts';
import { keysOf, numberedPath } from '../../workflow/machine/keyed-path.ts';
import type { Body, Workflow } from '../../workflow/model.ts';
import { logsOf, processOf } from '../../workflow/runs/reading.ts';
import { workflowForRun } from '../../workflow/runs/workflow-for-run.ts';
import type { Context } from '../context.ts';
import { idOf, runOf } from '../ids.ts';
import { line, printable } from '../format.ts';

interface LogsOptions {
  readonly step?: string;
  readonly follow?: boolean;
  readonly tail?: string;
}

/** What prints: a run, or a turn of the mail. */
interface Source {
  /** Each output under its heading, which no other one has. */
  readonly logs: () => readonly (Log & { readonly heading: string })[];
  readonly alive: () => boolean | Promise<boolean>;
  /** Resolves once something may have been printed, or after so many milliseconds. */
  readonly changed: (milliseconds: number) => Promise<void>;
  /** Printed where there is no output. */
  readonly nothing: string;
}

export async function printLogs(context: Context, word: string, options: LogsOptions): Promise<number> {
  const { terminal } = context;
  const tail = options.tail === undefined ? null : countOf(options.tail);
  const source = await sourceOf(context, word, options.step ?? null);
  const reader = new LogReader(source, tail);
  const end = new AbortController();
  const forget = terminal.onSignal(() => end.abort());
  let isEmpty = true;
  for (;;) {
    const alive = options.follow === true && (await source.alive());
    for (let text = reader.read(); text !== ''; text = reader.read()) {
      terminal.write(text);
      isEmpty = false;
    }
    if (!alive || end.signal.aborted || terminal.closed()) break;
    await source.changed(500);
  }
  forget();
  if (isEmpty && tail !== 0) terminal.complain(`${source.nothing}\n`);
  return 0;
}

function countOf(word: string): number {
  if (/^\d{1,9}$/.test(word)) return Number(word);
  throw new MailroomError('E_USAGE', `\`${line(word)}\` is not a number of lines`, 'for example `--tail 20`');
}

async function sourceOf(context: Context, word: string, step: string | null): Promise<Source> {
  const id = await idOf(context, word, step === null ? ['run', 'message', 'thread'] : ['run']);
  const project = context.place();
  const isOfRun = step !== null || project.roles().length === 0;
  const run = isOfRun ? project.workflows.run(id) : runOf(context, id, ['run', 'message', 'thread']);
  if (run === null) return ofTurn(project, turnNamed(project, id));
  if (step === null) return ofRun(project, run, null);
  const path = numberedPath(run.state(), step);
  expectStep(run.definition, path);
  return ofRun(project, run, path);
}

function ofRun({ workflows }: Project, run: StoredRun, step: string | null): Source {
  const named = (path: string): string => {
    const keys = keysOf(run.state(), path);
    return keys.length === 0 ? path : `${path} (${keys.join(', ')})`;
  };
  return {
    logs: () =>
      logsOf(run, step, null).map((log) => {
        const { iteration, attempt, check, stream } = processOf(log);
        const parts = [named(log.path), `iteration ${String(iteration)}`, `attempt ${String(attempt)}`];
        if (check !== null) parts.push(`check ${String(check)}`);
        return { ...log, heading: [...parts, stream].join(', ') };
      }),
    alive: () => run.alive(),
    changed: (milliseconds) => workflows.changed(run.run, milliseconds),
    nothing:
      step === null ? 'no step of this run has printed anything' : `\`${line(step)}\` has printed nothing`,
  };
}

/** The turn that a word names: by its own name, or the newest one of a thread or of a message's. */
function turnNamed(project: Project, word: string): string {
  if (/^t\d+$/.test(word)) return word;
  try {
    return newestTurn(project, word);
  } catch (error) {
    throw workflowForRun(word, project.workflows.runs()) ?? error;
  }
}

function ofTurn(project: Project, id: string): Source {
  const look = () => {
    const shown = show(project, project.journal.state(), id);
    return shown.kind === 'turn' ? shown : null;
  };
  look();
  return {
    logs: () =>
      (look()?.invocations ?? []).flatMap(({ attempt, round, ...files }) =>
        (['stdout', 'stderr'] as const).flatMap((stream) => {
          const file = files[stream];
          const correction = round === 0 ? [] : [`correction ${String(round)}`];
          const heading = [id, `attempt ${String(attempt)}`, ...correction, stream].join(', ');
          return file === null ? [] : [{ ...logAt(project.disk, file), heading }];
        }),
      ),
    alive: () => project.holder() !== null && (look()?.turn ?? null) !== null,
    changed: (milliseconds) => project.changed(milliseconds),
    nothing: `${id} has printed nothing`,
  };
}

/**
 * A step that has not run yet has printed nothing; following a step that does not exist would never
 * end.
 */
export function expectStep({ body }: Pick<Workflow, 'body'>, path: string): void {
  if (isStepOf(body, path) || stepsIn(body).some(({ id }) => id === path)) return;
  const ids = body.steps.map(({ id }) => id);
  const hint = didYouMean(path, ids) ?? `the steps are ${enumerate(ids)}`;
  throw new MailroomError('E_TARGET', `the run has no step \`${line(path)}\``, hint);
}

/** Whether a body has a step of this path, or an item: `packages/2`, `packages/2/test`. */
function isStepOf(body: Body, path: string): boolean {
  const [first = '', ...rest] = path.split('/');
  const step = body.steps.find(({ id }) => id === first.replace(/#\d+$/, ''));
  if (step === undefined || rest.length === 0) return step !== undefined;
  const inner = innerOf(step.work);
  const isLoop = step.work.kind === 'for-each' || step.work.kind === 'while';
  if (inner === null || (isLoop && !/^\d+$/.test(rest.shift() ?? ''))) return false;
  return rest.length === 0 || isStepOf(inner, rest.join('/'));
}

/**
 * Returns the part of each log that was not returned yet, under its heading. `tail`: of what exists
 * at the first look only so many lines of each; null: all.
 */
class LogReader {
  readonly #source: Source;
  readonly #at = new Map<string, number>();
  #tail: number | null;
  #last = '';

  constructor(source: Source, tail: number | null) {
    this.#source = source;
    this.#tail = tail;
  }

  read(): string {
    const tail = this.#tail;
    this.#tail = null;
    return this.#source
      .logs()
      .map((log) => {
        const { heading } = log;
        const from = this.#at.get(heading) ?? (tail === null ? 0 : startOfLast(log, tail));
        const { text, end } = log.read(from);
        this.#at.set(heading, end);
        if (text === '') return '';
        const head = this.#last === heading ? '' : `== ${line(heading)}\n`;
        this.#last = heading;
        return `${head}${printable(text)}${text.endsWith('\n') ? '' : '\n'}`;
      })
      .join('');
  }
}
