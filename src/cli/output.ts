import { escapeOf, replaceUnsafe } from '../kernel/one-line.ts';
import type { Project } from '../project/project.ts';
import type { Terminal } from './terminal.ts';

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
  readonly lines: () => readonly string[];
}

/**
 * Prints a view; with `watch` again whenever it changes, until Ctrl-C or until standard output is
 * closed. Redraws in place on a terminal; elsewhere each version follows the previous one.
 */
export async function printView(
  terminal: Terminal,
  project: Pick<Project, 'changed'>,
  options: AsJson & { readonly watch?: boolean },
  view: () => View | Promise<View>,
): Promise<number> {
  const asJson = options.json === true;
  const show = async () => {
    const { document, lines } = await view();
    return asJson ? json(document) : `${lines().join('\n')}\n`;
  };
  const print = asJson ? terminal.write : terminal.print;
  if (options.watch === true) return watch(terminal, project, show, print);
  print(await show());
  return 0;
}

async function watch(
  terminal: Terminal,
  project: Pick<Project, 'changed'>,
  show: () => Promise<string>,
  print: (text: string) => void,
): Promise<number> {
  const end = new AbortController();
  const forget = terminal.onSignal(() => end.abort());
  let shown = '';
  while (!end.signal.aborted && !terminal.closed()) {
    const text = await show();
    if (text !== shown) {
      if (terminal.interactive) terminal.write('\u001b[H\u001b[2J');
      print(text);
    }
    shown = text;
    if (!end.signal.aborted) await project.changed(1_000);
  }
  forget();
  return 0;
}
