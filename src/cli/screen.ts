import { withResolver } from '../kernel/with-resolver.ts';
import type { Project } from '../project/project.ts';
import { rowsOf, wrap } from './columns.ts';
import type { Context } from './context.ts';
import type { Room, Terminal } from './terminal.ts';

/** Which lines of a view are shown where not all of them fit. */
export type Kept = 'first' | 'last';

/**
 * The lines that fit above a last row, which says how many others there are. `lines`: as they are
 * printed, maybe broken into several rows.
 */
export function fitted(lines: readonly string[], { columns, rows }: Room, keeps: Kept) {
  const order = keeps === 'first' ? lines : lines.toReversed();
  let left = Math.max(1, rows - 1);
  const over = order.findIndex((each) => (left -= rowsOf(each, columns)) < 0);
  const shown = over === -1 ? order : order.slice(0, over);
  const hidden = lines.length - shown.length;
  return { shown: keeps === 'first' ? shown : shown.toReversed(), hidden };
}

/** The whole screen of a terminal. */
export function roomOf({ columns, rows }: Terminal): Room {
  return { columns: columns(), rows: rows() };
}

/**
 * The other screen of a terminal, on which each view is drawn over the one before. `close` brings
 * back what was on the terminal.
 */
class Screen {
  readonly #terminal: Terminal;
  readonly #keeps: Kept;
  #drawn = '';

  constructor(terminal: Terminal, keeps: Kept) {
    this.#terminal = terminal;
    this.#keeps = keeps;
    // The other screen, without its cursor.
    terminal.write('\u001b[?1049h\u001b[?25l');
  }

  draw(text: string): void {
    const { colours, copyable } = this.#terminal;
    const room = roomOf(this.#terminal);
    const lines = wrap(copyable(text.trimEnd()), room.columns).split('\n');
    const { shown, hidden } = fitted(lines, room, this.#keeps);
    const more = hidden === 0 ? '' : `… ${String(hidden)} more lines; `;
    const all = [...shown, colours.dim(`${more}q ends`)];
    // What an earlier view leaves behind its lines and below them is removed: nothing flickers.
    const drawn = `\u001b[H${all.map((each) => `${each}\u001b[K`).join('\n')}\u001b[J`;
    const place = `${String(room.columns)}x${String(room.rows)} ${drawn}`;
    if (place !== this.#drawn) this.#terminal.write(drawn);
    this.#drawn = place;
  }

  close(): void {
    this.#terminal.write('\u001b[?25h\u001b[?1049l');
  }
}

/** Draws a view whenever it changes, until `q`, Ctrl-C or the end of standard output. */
export async function drawViews(
  terminal: Terminal,
  call: Pick<Context['call'], 'onKey'>,
  project: Pick<Project, 'changed'>,
  show: () => Promise<string>,
  keeps: Kept,
): Promise<void> {
  const { promise: ended, resolve: end } = withResolver<'ended'>();
  const screen = new Screen(terminal, keeps);
  const forget = [
    terminal.onSignal(() => end('ended')),
    call.onKey((key) => {
      if (key === 'q') end('ended');
    }),
  ];
  try {
    do screen.draw(await show());
    while (!terminal.closed() && (await Promise.race([ended, project.changed(1_000)])) !== 'ended');
  } finally {
    for (const each of forget) each();
    screen.close();
  }
}
