import { describe, expect, it } from 'vitest';
import type { LiveKey } from '../../src/cli/live-keys.ts';
import { MailroomError } from '../../src/kernel/errors.ts';
import { ProgressLines } from '../../src/cli/progress-lines.ts';
import { Screen } from '../support/screen.ts';
import { FakeTerminal } from './fake-terminal.ts';

/** A live view of one line on a real terminal's screen. */
class View {
  readonly terminal = new FakeTerminal(() => 0);
  readonly #screen: Screen;
  readonly lines: ProgressLines;
  now = 'one step under way';
  #written = 0;

  constructor(keys: readonly LiveKey[], columns = 60) {
    this.terminal.interactive = true;
    this.terminal.width = columns;
    this.#screen = new Screen(columns);
    this.lines = new ProgressLines(this.terminal, {
      live: {
        lines: () => [this.now.slice(0, this.terminal.width - 1)],
        keys: { keys, onKey: this.terminal.onKey },
      },
      quiet: false,
    });
  }

  /** The screen after the next redraw. */
  async shown(): Promise<string[]> {
    this.terminal.tick();
    const { out } = this.terminal;
    await this.#screen.write(out.slice(this.#written));
    this.#written = out.length;
    return this.#screen.lines();
  }

  resize(columns: number): void {
    this.terminal.width = columns;
    this.#screen.resize(columns);
  }

  async press(key: string): Promise<string[]> {
    this.terminal.press(key);
    await Promise.resolve();
    await Promise.resolve();
    return this.shown();
  }
}

const panel = (lines: () => readonly string[]): LiveKey => ({
  key: 'w',
  does: 'say why roles wait',
  command: () => 'mailroom status',
  is: 'panel',
  lines,
});

describe('the keys of a live view', () => {
  it('are listed by `?`, until it is pressed again', async () => {
    const view = new View([panel(() => [])]);
    expect(await view.shown()).toEqual(['one step under way', '? keys']);
    const listed = ['one step under way', 'w  say why roles wait', '? closes this'];
    expect(await view.press('?')).toEqual(listed);
    expect(await view.press('x')).toEqual(listed);
    expect(await view.press('?')).toEqual(['one step under way', '? keys']);
  });

  it('show lines that follow what happens', async () => {
    let reason = 'engineer waits for qa';
    const view = new View([panel(() => [reason])]);
    expect(await view.press('w')).toEqual([
      'one step under way',
      reason,
      'w closes this; same as `mailroom status`',
    ]);
    reason = 'engineer is paused';
    view.lines.changed();
    expect(await view.shown()).toEqual([
      'one step under way',
      reason,
      'w closes this; same as `mailroom status`',
    ]);
  });

  it('wrap what they show at words and never in a command, take half of the screen, and follow a resize', async () => {
    const reason = 'engineer: waits for the answer of a reviewer whose turn has not started yet';
    const command = '  mailroom reply 3f2a1b --type review --message "…"';
    const lines = [reason, command, ...Array.from({ length: 20 }, (_, index) => `reason ${String(index)}`)];
    const view = new View([panel(() => lines)], 40);
    const shown = await view.press('w');
    expect(shown.slice(1, 3)).toEqual([
      'engineer: waits for the answer of a',
      '  reviewer whose turn has not started',
    ]);
    expect(shown.join('')).toContain(command);
    expect(shown.slice(-4)).toEqual([
      'reason 6',
      'and 13 more lines',
      'w closes this; same as',
      '  `mailroom status`',
    ]);
    view.resize(90);
    view.lines.changed();
    const wider = await view.shown();
    expect(wider.slice(0, 4)).toEqual(['one step under way', reason, command, 'reason 0']);
    expect(wider.at(-1)).toBe('w closes this; same as `mailroom status`');
  });

  it('act once at a time, and print why they cannot', async () => {
    const acts: (() => void)[] = [];
    const act: LiveKey = {
      key: 'p',
      does: 'pause',
      command: () => 'mailroom pause all',
      is: 'action',
      run: () => new Promise((done) => acts.push(done)),
    };
    const refused: LiveKey = {
      key: 'r',
      does: 'refuse',
      command: null,
      is: 'action',
      run: () => Promise.reject(new MailroomError('E_REFUSED', 'nothing is left to pause')),
    };
    const view = new View([act, refused]);
    await view.press('p');
    await view.press('p');
    await view.press('r');
    expect(acts).toHaveLength(1);
    acts[0]?.();
    await Promise.resolve();
    await Promise.resolve();
    const shown = await view.press('r');
    expect(shown[0]).toMatch(/same as `mailroom pause all`$/);
    expect(shown[1]).toMatch(/nothing is left to pause$/);
  });

  it('ask in the place of the block; lines wait for the answer', async () => {
    const view = new View([
      {
        key: 'a',
        does: 'answer',
        command: null,
        is: 'question',
        run: async () => {
          view.terminal.write('Ship it? ');
          view.lines.say('engineer t1 done');
          view.terminal.press('w');
          expect(await view.shown()).toEqual(['Ship it?']);
          view.terminal.write('yes\n');
        },
      },
      panel(() => ['a reason']),
    ]);
    await view.shown();
    view.terminal.press('a');
    const deadline = Date.now() + 5_000;
    let screen = await view.shown();
    while (!screen.includes('? keys') && Date.now() < deadline) screen = await view.shown();
    expect(screen[0]).toBe('Ship it? yes');
    expect(screen[1]).toMatch(/^[\d:]+ engineer t1 done$/);
    expect(screen.slice(2)).toEqual(['one step under way', '? keys']);
  });

  it('give the keyboard back at the end', async () => {
    const view = new View([panel(() => ['a reason'])]);
    await view.shown();
    await view.lines.close();
    expect(view.terminal.listens).toBe(false);
    expect(await view.press('w')).toEqual([]);
  });
});

describe('a terminal that is made narrower or wider', () => {
  it.each([24, 40, 100])('leaves no line of an earlier block (%i columns)', async (columns) => {
    const view = new View([]);
    view.now = 'a line that fills the whole width of sixty columns, and is cut';
    view.lines.say('started');
    await view.shown();
    view.resize(columns);
    view.lines.changed();
    const shown = await view.shown();
    expect(shown.filter((line) => line.startsWith('a line'))).toHaveLength(1);
    expect(shown.filter((line) => line === '? keys')).toHaveLength(1);
    expect(shown[0]).toMatch(/^[\d:]+ started$/);
    expect(shown).toHaveLength(3);
  });
});
