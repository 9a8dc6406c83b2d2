import { spawn, type ChildProcess } from 'node:child_process';
import { program, type TestProject } from './project.ts';
import { Screen } from './screen.ts';

/** The real program, or another `command`, on a pseudo terminal: what its screen shows, and the keys that a person presses. */
export class TerminalSession {
  readonly #child: ChildProcess;
  readonly #screen: Screen;
  readonly #watchers = new Set<() => void>();
  /** Resolves to the exit code. */
  readonly ended: Promise<number | null>;

  constructor(
    project: TestProject,
    args: readonly string[],
    {
      columns = 80,
      env = {},
      cwd = project.root,
      command = [process.execPath, program],
    }: {
      columns?: number;
      env?: Readonly<Record<string, string>>;
      cwd?: string;
      command?: readonly string[];
    } = {},
  ) {
    this.#screen = new Screen(columns);
    const words = [...command, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
    const line = `stty rows 24 cols ${String(columns)}; exec ${words.join(' ')}`;
    this.#child = spawn('script', ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
      cwd,
      env: { ...process.env, TERM: 'xterm-256color', NO_COLOR: '1', SHELL: '/bin/sh', ...env },
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      void this.#screen.write(chunk.toString()).then(() => this.#watchers.forEach((look) => look()));
    });
    this.ended = new Promise((resolve) => this.#child.once('close', resolve));
  }

  lines(): string[] {
    return this.#screen.lines();
  }

  press(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** Resolves to the screen as soon as it fits; the test's timeout says how long that may take. */
  until(fits: (lines: readonly string[]) => boolean): Promise<string[]> {
    return new Promise((resolve) => {
      const look = () => {
        const lines = this.lines();
        if (!fits(lines)) return;
        this.#watchers.delete(look);
        resolve(lines);
      };
      this.#watchers.add(look);
      look();
    });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
