import { TurnFolders } from '../src/mail/mailboxes/turn-folders.ts';
import { MemoryDisk } from '../test/support/memory-disk.ts';
import type { Exit, Outcome } from '../src/providers/provider.ts';
import type { AgentJob, Runner, RunnerEvents } from '../src/host/runner/runner.ts';

const exit: Exit = {
  code: 0,
  signal: null,
  ended: 'exited',
  error: null,
  stdout: '',
  stderr: '',
  durationMs: 1,
  edits: null,
};
const done: Outcome = {
  is: 'done',
  text: '',
  session: null,
  usage: { usd: 0, tokens: 0 },
  model: null,
  denials: [],
};

/** Agents that reach the launch barrier at once and are done as soon as it opens: what is left is what Mailroom itself does. */
export class InstantRunner implements Runner {
  #to: RunnerEvents | null = null;
  #told: () => void = () => {};

  connect(to: RunnerEvents, told: () => void): void {
    this.#to = to;
    this.#told = told;
  }

  start({ key }: AgentJob): void {
    this.#soon((to) => to.ready(key, { pid: 1, startTime: '1', mark: key }, null));
  }

  release(key: string): void {
    this.#soon((to) => to.ended(key, done, exit));
  }

  #soon(tell: (to: RunnerEvents) => void): void {
    setImmediate(() => {
      if (this.#to) tell(this.#to);
      this.#told();
    });
  }

  check(): void {}
  land(): void {}
  stop(): void {}
  leave(): void {}
  forget(): void {}
  sweep(): Promise<void> {
    return Promise.resolve();
  }
}

/** Turns without files: they are what an agent needs, and there is none. */
export const noFolders: TurnFolders = Object.assign(new TurnFolders(new MemoryDisk()), {
  open: () => ({ folder: '/', prompt: '/', outbox: '/', messages: [], stdout: '/', stderr: '/' }),
  collect: () => [],
  stage: () => false,
  strays: () => [],
  result: () => {},
});
