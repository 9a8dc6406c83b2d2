import { MailroomError } from '../../kernel/errors.ts';
import type { Trail, TrailEntry } from '../../git/trail.ts';

/**
 * The destination of the commits; git in the program. Both methods reject with `E_TRAIL` on
 * failure.
 */
export interface TrailRepository {
  /**
   * `at`: the `Seq` of this project's last commit on the branch, 0 when there is none; `problem`
   * says why the branch can be read but not written now. `none`: there is no branch to write to;
   * `hint` says in one line what is missing.
   */
  position(): Promise<TrailPosition>;
  /**
   * Adds these commits to the branch, in this order, all or none. After a rejection they may have
   * been added (the answer was lost); the same commits at the start of a later call are not added
   * twice.
   */
  append(entries: readonly TrailEntry[]): Promise<void>;
}

export type TrailPosition =
  | { readonly is: 'at'; readonly seq: number; readonly problem: string | null }
  | { readonly is: 'none'; readonly hint: string };

interface TrailWriterOptions {
  readonly repository: TrailRepository;
  /**
   * Called when the queue has room again after entries were dropped: the host records everything
   * after this number again, from the journal. Without it the next start does.
   */
  readonly reread?: (after: number) => void;
  /** Resolves after this many milliseconds; for tests. */
  readonly delay?: (milliseconds: number) => Promise<void>;
  readonly limits?: Partial<TrailLimits>;
}

interface TrailLimits {
  /** The maximum size of one batch, in commits and in characters of their files. */
  readonly batchEntries: number;
  readonly batchCharacters: number;
  /** The maximum length of the queue. Further entries are dropped, as the journal has them. */
  readonly queueEntries: number;
  readonly queueCharacters: number;
}

const defaultLimits: TrailLimits = {
  // Larger batches save little, and preparing one delays the delivery of mail for longer.
  batchEntries: 250,
  batchCharacters: 2 * 1024 * 1024,
  // Ten thousand files dropped at once, and the turns that pick them up.
  queueEntries: 20_000,
  queueCharacters: 64 * 1024 * 1024,
};

const firstPause = 100;
const longestPause = 60_000;
/** How many attempts `settled` awaits before it considers a batch impossible to commit. */
const settlingAttempts = 3;

/**
 * The only committer of a project. Entries queue up while a batch is being written, and become the
 * next batch. A failed batch stays first and is retried after a pause that doubles up to a minute.
 */
export class TrailWriter implements Trail {
  readonly #repository: TrailRepository;
  readonly #reread: ((after: number) => void) | null;
  readonly #delay: (milliseconds: number) => Promise<void>;
  readonly #limits: TrailLimits;
  #queue: TrailEntry[] = [];
  #characters = 0;
  /** The number of the last queued entry, and of the last entry known to be committed. */
  #last = 0;
  #committed: number | null = null;
  /** How many entries were dropped since the queue was full. */
  #missed = 0;
  /** True when there is no branch to write to, for as long as the program runs. */
  #absent = false;
  #problem: string | null = null;
  #failures = 0;
  #working = false;
  #hurry: (() => void) | null = null;
  #observers: ((committed: boolean) => void)[] = [];

  constructor(options: TrailWriterOptions) {
    this.#repository = options.repository;
    this.#reread = options.reread ?? null;
    this.#delay = options.delay ?? pause;
    this.#limits = { ...defaultLimits, ...options.limits };
  }

  /** Ignores an entry whose number is not above the last one's, as it is recorded already. */
  record(entry: TrailEntry): void {
    if (this.#absent || entry.seq <= this.#last) return;
    // After one is dropped the others must be too: a trail with a gap could not be continued from
    // its end.
    if (this.#missed > 0 || this.#isFull()) {
      this.#missed += 1;
      return;
    }
    this.#last = entry.seq;
    this.#queue.push(entry);
    this.#characters += sizeOf(entry);
    if (!this.#working) void this.#work();
  }

  /**
   * Never rejects. If the first call cannot read the position, there is no trail until the next
   * start: commits after an unknown one would leave a gap. `problem()` says why.
   */
  async position(): Promise<number | null> {
    if (this.#absent) return null;
    try {
      const found = await this.#repository.position();
      if (found.is === 'none') return this.#giveUp(found.hint);
      if (this.#failures === 0) this.#problem = found.problem;
      return found.seq;
    } catch (error) {
      return this.#committed ?? this.#giveUp(describe(error));
    }
  }

  async settled(): Promise<void> {
    for (let failed = 0; this.#queue.length > 0 && failed < settlingAttempts;) {
      const attempt = new Promise<boolean>((resolve) => this.#observers.push(resolve));
      this.#hurry?.();
      if (!(await attempt)) failed += 1;
    }
  }

  problem(): string | null {
    if (this.#problem !== null || this.#missed === 0) return this.#problem;
    return `the trail is behind: ${String(this.#missed)} entries are left to the journal, and written at the next start`;
  }

  #isFull(): boolean {
    const { queueEntries, queueCharacters } = this.#limits;
    return this.#queue.length >= queueEntries || this.#characters >= queueCharacters;
  }

  #giveUp(hint: string): null {
    this.#absent = true;
    this.#problem = hint;
    this.#queue = [];
    this.#characters = 0;
    return null;
  }

  async #work(): Promise<void> {
    this.#working = true;
    // Entries recorded in the same tick belong to the first batch.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const committed = await this.#commit(this.#batch());
      this.#report(committed);
      if (!committed && this.#queue.length > 0) await this.#pause();
      if (this.#queue.length === 0) this.#catchUp();
    }
    this.#working = false;
    this.#report(true);
  }

  #report(committed: boolean): void {
    for (const observe of this.#observers.splice(0)) observe(committed);
  }

  #batch(): TrailEntry[] {
    const { batchEntries, batchCharacters } = this.#limits;
    let characters = 0;
    const end = this.#queue.findIndex((entry, index) => {
      characters += sizeOf(entry);
      return index > 0 && (index >= batchEntries || characters > batchCharacters);
    });
    return end === -1 ? [...this.#queue] : this.#queue.slice(0, end);
  }

  async #commit(batch: readonly TrailEntry[]): Promise<boolean> {
    try {
      await this.#repository.append(batch);
    } catch (error) {
      this.#failures += 1;
      if (!this.#absent) this.#problem = describe(error);
      return false;
    }
    this.#failures = 0;
    if (this.#absent) return true;
    this.#problem = null;
    this.#committed = batch.at(-1)?.seq ?? this.#committed;
    this.#queue.splice(0, batch.length);
    for (const entry of batch) this.#characters -= sizeOf(entry);
    return true;
  }

  async #pause(): Promise<void> {
    const milliseconds = Math.min(firstPause * 2 ** (this.#failures - 1), longestPause);
    const hurried = new Promise<void>((resolve) => (this.#hurry = resolve));
    await Promise.race([hurried, this.#delay(milliseconds)]);
    this.#hurry = null;
  }

  #catchUp(): void {
    if (this.#missed === 0 || this.#reread === null) return;
    this.#missed = 0;
    this.#reread(this.#last);
  }
}

/** Does not keep the process alive. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}

function sizeOf(entry: TrailEntry): number {
  return entry.changes.reduce((sum, { path, text }) => sum + path.length + (text?.length ?? 0), 0);
}

function describe(error: unknown): string {
  if (!(error instanceof MailroomError)) return `the trail cannot be written: ${String(error)}`;
  return error.hint === null ? error.message : `${error.message} (${error.hint})`;
}
