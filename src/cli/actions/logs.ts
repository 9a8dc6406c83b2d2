import { MailroomError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { stepsIn } from '../../workflow/bodies.ts';
import type { Context } from '../context.ts';
import { idOf } from '../ids.ts';
import { line, printable } from '../format.ts';
import { stepFilter } from '../step-output.ts';
import type { Workflow } from '../../workflow/model.ts';
import type { StoredRun } from '../../project/definition/contracts.ts';
import { enumerate } from '../../kernel/enumerate.ts';

interface LogsOptions {
  readonly step?: string;
  readonly follow?: boolean;
}

export async function printLogs(context: Context, reference: string, options: LogsOptions): Promise<number> {
  const { terminal } = context;
  const { workflows } = context.place();
  const run = workflows.run(await idOf(context, reference, ['run']));
  if (options.step !== undefined) expectStep(run.definition, options.step);
  const reader = new LogReader(run, options.step ?? null);
  const end = new AbortController();
  const forget = terminal.onSignal(() => end.abort());
  let isEmpty = true;
  for (;;) {
    const alive = options.follow === true && (await run.alive());
    const text = reader.read();
    terminal.write(text);
    isEmpty &&= text === '';
    if (!alive || end.signal.aborted || terminal.closed()) break;
    await workflows.changed(run.run, 500);
  }
  forget();
  if (isEmpty) terminal.complain(`${nothingPrinted(options)}\n`);
  return 0;
}

function nothingPrinted({ step }: LogsOptions): string {
  return step === undefined
    ? 'no step of this run has printed anything'
    : `\`${line(step)}\` has printed nothing`;
}

/**
 * A step that has not run yet has printed nothing; following a step that does not exist would never
 * end.
 */
export function expectStep({ body }: Pick<Workflow, 'body'>, path: string): void {
  const step = path.split('/', 1)[0]!.replace(/#\d+$/, '');
  const ids = body.steps.map(({ id }) => id);
  if (ids.includes(step) || stepsIn(body).some(({ id }) => id === path)) return;
  const hint = didYouMean(step, ids) ?? `the steps are ${enumerate(ids)}`;
  throw new MailroomError('E_TARGET', `the run has no step \`${step}\``, hint);
}

/** Returns the part of each log that was not returned yet, under a heading with the step's path. */
class LogReader {
  readonly #run: StoredRun;
  readonly #isWanted: (path: string) => boolean;
  readonly #at = new Map<string, number>();
  #last = '';

  constructor(run: StoredRun, step: string | null) {
    this.#run = run;
    this.#isWanted = stepFilter(step);
  }

  read(): string {
    return this.#run
      .logs()
      .filter(({ path }) => this.#isWanted(path))
      .map((log) => {
        const { name } = log;
        const from = this.#at.get(name) ?? 0;
        const { text, end } = log.read(from);
        this.#at.set(name, end);
        if (text === '') return '';
        const head = this.#last === name ? '' : `== ${name}\n`;
        this.#last = name;
        return `${head}${printable(text)}${text.endsWith('\n') ? '' : '\n'}`;
      })
      .join('');
  }
}
