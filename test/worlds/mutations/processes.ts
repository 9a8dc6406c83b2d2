import type { Mutation } from './mutation.ts';

export const processes: readonly Mutation[] = [
  {
    mechanism: 'a sweep ends what marked processes have started',
    file: 'process/supervision/sweep.ts',
    from: 'return [...marked, ...descendants(all, new Set(marked.map(({ pid }) => pid)))].filter(',
    to: 'return [...marked].filter(',
    seenBy: ['test/process/sweep.test.ts'],
  },
  {
    mechanism: 'a sweep ends only the processes of its project',
    file: 'process/supervision/sweep.ts',
    from: 'return mark !== null && fits(mark);',
    to: 'return mark !== null;',
    seenBy: ['test/process/sweep.test.ts'],
  },
  {
    mechanism: 'what ignores TERM is killed',
    file: 'process/supervision/sweep.ts',
    from: "if (elapsed >= graceMs) signalProcess(info, 'SIGKILL');\n      else if",
    to: 'if',
    seenBy: ['test/process/sweep.test.ts'],
  },
];
