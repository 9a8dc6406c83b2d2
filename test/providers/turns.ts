import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ProcessRunner } from '../../src/host/runner/agents.ts';
import { sweepMarked } from '../../src/process/sweep.ts';
import type { Containment } from '../../src/process/types.ts';
import { containmentsHere, marked } from '../process/support.ts';
import { invocation } from './samples.ts';
import type { Exit, Invocation, Outcome, Provider } from '../../src/providers/provider.ts';

/** What came of one invocation that really ran. */
export interface Ran {
  readonly outcome: Outcome;
  readonly exit: Exit;
  /** What lies in the staging folder, by name. */
  readonly staged: Readonly<Record<string, string>>;
  /** Processes of the turn that are still there. */
  readonly left: readonly number[];
}

/** How long a turn may take; `stop` ends it when it resolves. */
export interface Ends {
  readonly totalMs?: number;
  readonly idleMs?: number;
  readonly stop?: Promise<unknown>;
}

let known: Promise<Containment> | null = null;

/** As agents are held where there is no sandbox. */
function containment(): Promise<Containment> {
  known ??= containmentsHere().then(
    (all) => all.find(({ kind }) => kind === 'namespace') ?? { kind: 'group' },
  );
  return known;
}

/** A project in a temporary folder, in which turns are run one after the other by the real process room. */
export class TurnFixture {
  /** Holds everything: the project, and what a test puts beside it. */
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-turns-')));
  readonly project = join(this.root, 'project');
  readonly #mark = `turns-${basename(this.root)}:`;
  #turns = 0;

  /** `finished` is what the test calls at its end. */
  constructor(finished: (clean: () => Promise<void>) => void) {
    finished(async () => {
      if (marked(this.#mark).length > 0) await sweepMarked(this.#mark, 0);
      rmSync(this.root, { recursive: true, force: true });
    });
    mkdirSync(this.project);
  }

  /** Whether a file is there, by its path from the project. */
  has(path: string): boolean {
    return existsSync(join(this.project, path));
  }

  /** The next turn, with its folder. */
  turn(changes: Partial<Invocation> = {}): Invocation {
    this.#turns += 1;
    const turn = `t${this.#turns}`;
    const folder = join(this.project, '.mailroom/turns', turn, '1');
    const outbox = join(folder, 'outbox');
    mkdirSync(outbox, { recursive: true });
    return invocation({
      turn,
      project: this.project,
      workspace: this.project,
      paths: {
        folder,
        outbox,
        prompt: join(folder, 'prompt.md'),
        messages: [],
        stdout: join(folder, 'stdout'),
        stderr: join(folder, 'stderr'),
      },
      ...changes,
    });
  }

  /** Runs a turn to its end as the host does: contained, behind the launch barrier, with its time. */
  async run(provider: Provider, turn: Invocation, ends: Ends = {}): Promise<Ran> {
    const { totalMs = 120_000, idleMs = null, stop } = ends;
    const contained = await containment();
    const key = turn.turn;
    const job = { key, provider: provider.name, invocation: turn, totalMs, idleMs };
    const [outcome, exit] = await new Promise<[Outcome, Exit]>((resolve) => {
      const runner = new ProcessRunner(
        {
          project: this.project,
          mark: this.#mark,
          providers: new Map([[provider.name, provider]]),
          secrets: [],
          contain: () => contained,
          now: Date.now,
          named: () => Promise.resolve([]),
        },
        {
          ready: () => runner.release(key),
          ended: (_, came, left) => resolve([came, left]),
          checked: () => {},
          landing: () => {},
          assigned: () => {},
        },
      );
      runner.start({ ...job, noteTree: false, worktree: null });
      void stop?.then(() => runner.stop(key));
    });
    return { outcome, exit, staged: filesIn(turn.paths.outbox), left: marked(this.#mark) };
  }
}

/** As the host takes them: a name with a dot before it is none. A codex that is killed leaves such folders. */
function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}
