import { escapeOf, replaceUnsafe } from '../kernel/one-line.ts';
import type { Project } from '../operations/project/project.ts';
import type { Terminal } from './terminal.ts';

/** A document as text. Control characters are escaped, so that its values stay unchanged. */
export function json(document: unknown): string {
  const escaped = (character: string) => (character === '\n' ? character : escapeOf(character));
  return `${replaceUnsafe(JSON.stringify(document, null, 2), escaped)}\n`;
}

/**
 * Prints a view again whenever it changes, until Ctrl-C or until standard output is closed. Redraws
 * in place on a terminal; elsewhere each version follows the previous one.
 */
export async function watch(
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
