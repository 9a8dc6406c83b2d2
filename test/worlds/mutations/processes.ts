import type { Mutation } from './mutation.ts';

export const processes: readonly Mutation[] = [
  {
    mechanism: 'a program starts once the journal has its launch',
    file: 'process/supervision/supervision.ts',
    from: 'if (!spec.launchBarrier) this.release();',
    to: 'this.release();',
    seenBy: ['test/process/contained.test.ts'],
  },
  {
    mechanism: 'a sweep ends what marked processes have started',
    file: 'process/sweep.ts',
    from: 'return [...marked, ...descendants(all, new Set(marked.map(({ pid }) => pid)))].filter(',
    to: 'return [...marked].filter(',
    seenBy: ['test/process/sweep.test.ts'],
  },
  {
    mechanism: 'a sweep ends only the processes of its project',
    file: 'process/sweep.ts',
    from: 'return readVariable(pid, variable)?.startsWith(prefix) === true;',
    to: 'return readVariable(pid, variable) !== null;',
    seenBy: ['test/process/sweep.test.ts'],
  },
  {
    mechanism: 'a program that writes without end is ended',
    file: 'process/supervision/supervision.ts',
    from: "this.#endForOutput('output-limit');",
    to: '',
    seenBy: ['test/process/supervise.test.ts'],
  },
  {
    mechanism: 'what ignores TERM is killed',
    file: 'process/sweep.ts',
    from: "if (elapsed >= graceMs) signalProcess(info, 'SIGKILL');\n      else if",
    to: 'if',
    seenBy: ['test/process/sweep.test.ts'],
  },
  {
    mechanism: 'a process under a number that is used again is not signalled',
    file: 'process/sweep.ts',
    from: '  if (!isAlive(info)) return;\n',
    to: '',
    seenBy: ['test/process/sweep.test.ts'],
  },
  {
    mechanism: 'an agent that ends leaves no process',
    file: 'process/supervision/supervision.ts',
    from: 'Promise.all([this.#endLeftovers(), settled',
    to: 'Promise.all([Promise.resolve([]), settled',
    seenBy: ['test/process/supervise.test.ts'],
  },
  {
    mechanism: 'a busy process is not a suspended one',
    file: 'process/running-time.ts',
    from: 'Math.min(passed, pulse - this.#pulse)',
    to: '0',
    seenBy: ['test/process/running-time.test.ts'],
  },
  {
    mechanism: 'a limit of time does not lose what a program has finished',
    file: 'process/supervision/supervision.ts',
    from: "this.#finishing?.isFinished() === true ? 'lingered' : limit",
    to: 'limit',
    seenBy: ['test/process/lingering.test.ts', 'test/process/supervision/finish.test.ts'],
  },
  {
    mechanism: 'a program that works after its final event continues',
    file: 'process/supervision/limits.ts',
    from: '(since ?? runningTime.now()) : null;',
    to: '(since ?? runningTime.now()) : since;',
    seenBy: ['test/process/supervision/finish.test.ts', 'test/providers/final-event.test.ts'],
  },
];
