import { escapeOf, replaceUnsafe } from '../kernel/one-line.ts';
import type { Project } from '../project/project.ts';
import type { Context } from './context.ts';
import { drawViews, roomOf, type Kept } from './screen.ts';
import type { Room, Terminal } from './terminal.ts';

/** A document as text. Control characters are escaped, so that its values stay unchanged. */
export function json(document: unknown): string {
  const escaped = (character: string) => (character === '\n' ? character : escapeOf(character));
  return `${replaceUnsafe(JSON.stringify(document, null, 2), escaped)}\n`;
}

export interface AsJson {
  readonly json?: boolean;
}

/** Prints the document of `--json`, else the lines for people. Returns the exit code 0. */
export function answer(
  terminal: Terminal,
  options: AsJson,
  document: unknown,
  lines: () => readonly string[],
): number {
  if (options.json === true) terminal.write(json(document));
  else terminal.print(`${lines().join('\n')}\n`);
  return 0;
}

/** A view as a document, and as lines for people. */
interface View {
  readonly document: unknown;
  /** `room`: of the screen on which the lines are drawn; absent: they are printed. */
  readonly lines: (room?: Room) => readonly string[];
}

interface Viewing extends AsJson {
  readonly watch?: boolean;
  /** Which lines matter where a screen has no room for all; default: the first. */
  readonly keeps?: Kept;
}

/**
 * Prints a view; with `watch` again whenever it changes, until `q`, Ctrl-C or until standard output
 * is closed: on a terminal on a screen of its own, elsewhere each version follows the previous one.
 */
export async function printView(
  { terminal, call }: Pick<Context, 'terminal'> & { readonly call: Pick<Context['call'], 'onKey'> },
  project: Pick<Project, 'changed'>,
  options: Viewing,
  view: () => View | Promise<View>,
): Promise<number> {
  const asJson = options.json === true;
  const isDrawn = options.watch === true && terminal.interactive && !asJson;
  const show = async () => {
    const { document, lines } = await view();
    return asJson ? json(document) : `${lines(isDrawn ? roomOf(terminal) : undefined).join('\n')}\n`;
  };
  const print = asJson ? terminal.write : terminal.print;
  if (options.watch !== true) print(await show());
  else if (isDrawn) await drawViews(terminal, call, project, show, options.keeps ?? 'first');
  else await follow(terminal, project, show, print);
  return 0;
}

async function follow(
  terminal: Terminal,
  project: Pick<Project, 'changed'>,
  show: () => Promise<string>,
  print: (text: string) => void,
): Promise<void> {
  const end = new AbortController();
  const forget = terminal.onSignal(() => end.abort());
  let shown = '';
  while (!end.signal.aborted && !terminal.closed()) {
    const text = await show();
    if (text !== shown) print(text);
    shown = text;
    if (!end.signal.aborted) await project.changed(1_000);
  }
  forget();
}
