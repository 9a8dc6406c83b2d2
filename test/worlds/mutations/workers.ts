import type { Mutation } from './mutation.ts';

export const workers: readonly Mutation[] = [
  {
    mechanism: 'the work of a worker is the commit that it has sent',
    file: 'host/runner/queued-results.ts',
    from: 'if (sent !== work.commit)',
    to: 'if (false)',
    seenBy: ['test/host/runner/queued-results.test.ts'],
  },
  {
    mechanism: 'a job is noted before anything of it is handed over',
    file: 'host/runner/queued-agents.ts',
    from: 'this.#options.notes.add(name);',
    to: '',
    seenBy: ['test/worlds/simulation/mail/away/kills.test.ts'],
  },
  {
    mechanism: 'a job that an earlier controller has added is adopted',
    file: 'host/runner/queued-agents.ts',
    from: "job.queued !== undefined && found?.is !== 'missing'",
    to: 'false',
    seenBy: ['test/worlds/simulation/mail/away/kills.test.ts'],
  },
  {
    mechanism: 'a ref that git cannot use keeps no work from travelling',
    file: 'git/travel.ts',
    from: "walked('--ignore-missing')",
    to: 'walked()',
    seenBy: ['test/git/broken-refs.test.ts'],
  },
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
