import type { MemoryDisk } from '../support/memory-disk.ts';
import type { Exit, Outcome, Provider } from '../../src/providers/provider.ts';
import type { AgentJob, CheckJob, Runner, RunnerEvents } from '../../src/host/runner/runner.ts';

/** What an agent does in one invocation. */
export interface Work {
  /** Files that it writes into its staging folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Its final text. */
  readonly text?: string;
  readonly usd?: number;
  /** Instead of text and dollars: what its program printed, and who reads it. */
  readonly printed?: { readonly stdout: string; readonly by: Provider };
  /** Instead of all that: why it failed. */
  readonly fails?: string;
  /** With `fails`: the provider is at its limit until then. */
  readonly until?: number;
}

/** A runner whose agents do what the test says, when it says so. */
export class HandRunner implements Runner {
  readonly #disk: MemoryDisk;
  readonly #jobs = new Map<string, AgentJob>();
  readonly #fresh = new Set<string>();
  readonly #gates = new Set<string>();
  events: RunnerEvents | null = null;

  constructor(disk: MemoryDisk) {
    this.#disk = disk;
  }

  start(job: AgentJob): void {
    this.#jobs.set(job.key, job);
    this.#fresh.add(job.key);
  }

  leave(key: string): void {
    this.stop(key);
  }

  forget(): void {}

  release(): void {}

  check(job: CheckJob): void {
    this.#gates.add(job.key);
  }

  land(): void {}

  stop(key: string): void {
    this.#end(
      key,
      { is: 'never', reason: { code: 'E_TURN', text: 'stopped' }, usage, session: null },
      'stopped',
    );
  }

  /** Lets every new process through its gate, and every check pass. */
  letGo(): void {
    for (const key of this.#fresh) this.events?.ready(key, { pid: 1, startTime: '1', mark: key }, null);
    this.#fresh.clear();
    for (const key of this.#gates) this.events?.checked(key, { problems: [], conflicts: false, left: null });
    this.#gates.clear();
  }

  /** The prompt of the only running turn of a role. */
  promptOf(role: string): string {
    return this.#only(role).invocation.prompt;
  }

  #only(role: string): AgentJob {
    const jobs = [...this.#jobs.values()].filter(({ invocation }) => invocation.role === role);
    const [job] = jobs;
    if (!job || jobs.length > 1) throw new Error(`${role} runs ${String(jobs.length)} turns`);
    return job;
  }

  finish(role: string, { files = {}, text = 'nothing to send', usd, fails, until, printed }: Work): void {
    const job = this.#only(role);
    const outbox = job.invocation.paths.outbox.slice(this.#disk.root.length + 1);
    for (const [name, content] of Object.entries(files)) this.#disk.write(`${outbox}/${name}`, content);
    if (printed) {
      const { paths } = job.invocation;
      this.#disk.write(paths.stdout.slice(this.#disk.root.length + 1), printed.stdout);
      const exit = { ...exited, stdout: printed.stdout };
      return this.#end(job.key, printed.by.read(exit, job.invocation, this.#disk.now()), 'exited');
    }
    const cost = { usd: usd ?? null, tokens: null };
    if (fails === undefined) {
      const done = { is: 'done', text, session: null, usage: cost, model: null, denials: [] } as const;
      return this.#end(job.key, done, 'exited');
    }
    const limit = until === undefined ? 'RETRYABLE_TRANSIENT' : 'RETRYABLE_RATE_LIMIT';
    const reason = { code: 'E_TURN', text: fails } as const;
    this.#end(
      job.key,
      { is: 'later', class: limit, reason, until: until ?? null, usage: cost, session: null },
      'exited',
    );
  }

  #end(key: string, outcome: Outcome, ended: Exit['ended']): void {
    if (!this.#jobs.delete(key)) return;
    const exit = ended === 'exited' ? exited : { ...exited, code: null, ended };
    this.events?.ended(key, outcome, exit);
  }

  sweep(): Promise<void> {
    return Promise.resolve();
  }
}

const usage = { usd: null, tokens: null };

const exited: Exit = {
  code: 0,
  signal: null,
  ended: 'exited',
  error: null,
  stdout: '',
  stderr: '',
  durationMs: 1_500,
  edits: null,
};
