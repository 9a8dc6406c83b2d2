import { MailroomError } from '../kernel/errors.ts';
import { wrap } from './columns.ts';
import { line } from './format.ts';
import type { Room, Terminal } from './terminal.ts';

/** A key of a live view: it shows lines below the view until it is pressed again, acts, or asks. */
export type LiveKey = {
  readonly key: string;
  readonly does: string;
  /** The command that does the same, complete; null: none, or the key prints it itself. */
  readonly command: (() => string) | null;
} & (
  | { readonly is: 'panel'; readonly lines: (room: Room) => readonly string[] }
  | { readonly is: 'action' | 'question'; readonly run: () => Promise<void> }
);

/** The keys of a view, and how it hears of them. */
export interface Keyboard {
  readonly keys: readonly LiveKey[];
  /** Calls back with each pressed key until the returned function is called. */
  readonly onKey: (act: (key: string) => void) => () => void;
}

/** What the keys need of the view. */
interface View {
  changed(): void;
  say(text: string): void;
  /** Removes the live block while a question is asked in its place. */
  aside(ask: () => Promise<void>): Promise<void>;
}

/**
 * The keys of a live view; `?` lists them. A key that is pressed while another one acts is ignored.
 */
export class LiveKeys {
  readonly #terminal: Terminal;
  readonly #view: View;
  readonly #keys: readonly LiveKey[];
  readonly #onKey: Keyboard['onKey'];
  #forget: () => void;
  #open: Extract<LiveKey, { is: 'panel' }> | null = null;
  /** What the last key does; null: it is done. */
  #acting: Promise<void> | null = null;
  #closed = false;

  constructor(terminal: Terminal, view: View, { keys, onKey }: Keyboard) {
    this.#terminal = terminal;
    this.#view = view;
    this.#keys = [this.#help(keys), ...keys];
    this.#onKey = onKey;
    this.#forget = this.#listen();
  }

  /** The open panel, in at most half of the screen, and a line that says how to close it. */
  lines(): string[] {
    const { colours, columns, rows, copyable } = this.#terminal;
    const open = this.#open;
    const room = { columns: columns() - 1, rows: Math.max(3, Math.floor(rows() / 2)) };
    const fit = (text: string) => wrap(copyable(line(text)), room.columns).split('\n');
    const panel = (open?.lines(room) ?? []).flatMap(fit);
    const shown =
      panel.length <= room.rows
        ? panel
        : [...panel.slice(0, room.rows - 1), `and ${String(panel.length - room.rows + 1)} more lines`];
    return [...shown, ...fit(hintOf(open))].map((each) => colours.dim(each));
  }

  /** Gives the keyboard back; resolves once an open question is answered. Safe to call again. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#release();
    await this.#acting;
  }

  #release(): void {
    this.#forget();
    this.#forget = () => undefined;
  }

  #help(keys: readonly LiveKey[]): LiveKey {
    const lines = () => keys.map(({ key, does }) => `${key}  ${does}`);
    return { key: '?', does: 'list the keys', command: null, is: 'panel', lines };
  }

  #listen(): () => void {
    return this.#onKey((pressed) => {
      const key = this.#keys.find((each) => each.key === pressed);
      if (key === undefined || this.#acting !== null) return;
      if (key.is !== 'panel') {
        this.#acting = this.#act(key);
        return;
      }
      this.#open = this.#open === key ? null : key;
      this.#view.changed();
    });
  }

  async #act({ is, run, command }: Exclude<LiveKey, { is: 'panel' }>): Promise<void> {
    try {
      if (command !== null) this.#view.say(`same as \`${command()}\``);
      await (is === 'question' ? this.#ask(run) : run());
    } catch (error) {
      if (!(error instanceof MailroomError)) throw error;
      this.#view.say(line(error.message));
    } finally {
      this.#acting = null;
      this.#view.changed();
    }
  }

  /** The question reads the keyboard itself. */
  async #ask(run: () => Promise<void>): Promise<void> {
    this.#release();
    try {
      await this.#view.aside(run);
    } finally {
      if (!this.#closed) this.#forget = this.#listen();
    }
  }
}

function hintOf(open: LiveKey | null): string {
  if (open === null) return '? keys';
  return `${open.key} closes this${open.command === null ? '' : `; same as \`${open.command()}\``}`;
}
