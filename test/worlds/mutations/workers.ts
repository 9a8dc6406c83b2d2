import type { Mutation } from './mutation.ts';

export const workers: readonly Mutation[] = [
  {
    mechanism: 'a job is added once the journal has its nonce',
    file: 'host/runner/queued-agents.ts',
    from: "while (!followed.released && followed.ending === 'no') await changed(followed);",
    to: '',
    seenBy: ['test/host/runner/queued-agents.test.ts'],
  },
  {
    mechanism: 'what goes through the queue expires',
    file: 'queue/signed.ts',
    from: 'expires < expected.now',
    to: 'expires < 0',
    seenBy: ['test/queue/signed.test.ts'],
  },
  {
    mechanism: 'a signature counts for one kind and one job',
    file: 'queue/signed.ts',
    from: 'if (kind !== expected.kind || job !== expected.job)',
    to: 'if (job !== expected.job)',
    seenBy: ['test/queue/signed.test.ts'],
  },
  {
    mechanism: 'a signature counts for one attempt',
    file: 'queue/signed.ts',
    from: 'expected.nonce !== null && nonce !== expected.nonce',
    to: 'false',
    seenBy: ['test/queue/signed.test.ts'],
  },
];
