import type { Mutation } from './mutation.ts';

export const mail: readonly Mutation[] = [
  {
    mechanism: 'an owed answer must be given before a turn sends anything else',
    file: 'mail/machine/rules/judge.ts',
    from: '  if (sent.some(({ request }) => request !== null)) return [];\n  return [`an answer is owed',
    to: '  if (sent.length > 0) return [];\n  return [`an answer is owed',
    seenBy: ['test/mail/machine/nesting.test.ts'],
  },
  {
    mechanism: 'a role that waits for answers picks up no join',
    file: 'mail/machine/rules/expects.ts',
    from: 'if (!allowed && all.length === types.length)',
    to: 'if (all.length === types.length)',
    seenBy: ['test/mail/machine/nesting.test.ts'],
  },
  {
    mechanism: 'each day begins with nothing spent',
    file: 'mail/machine/fold/turns.ts',
    from: 'state.spent.day === day ? state.spent.cost : noCost',
    to: 'state.spent.cost',
    seenBy: ['test/mail/machine/money.test.ts'],
  },
  {
    mechanism: 'a sender is believed only for mail that the very first start finds',
    file: 'mail/host/intake.ts',
    from: 'this.#found.get(role)?.names.has(name) === true',
    to: 'true',
    seenBy: ['test/mail/host/recovery.test.ts'],
  },
  {
    mechanism: 'a gate that its time limit ended has not passed',
    file: 'host/runner/message-checks.ts',
    from: "result.reason === 'exited' && result.exitCode === 0",
    to: 'result.exitCode === 0',
    seenBy: ['test/host/runner/message-checks.test.ts'],
  },
  {
    mechanism: 'a file that is written again with the same size is not complete yet',
    file: 'mail/mailboxes/settling.ts',
    from: 'before?.size === look.size && before.mtimeMs === look.mtimeMs',
    to: 'before?.size === look.size',
    seenBy: ['test/mail/mailboxes/settling.test.ts'],
  },
  {
    mechanism: "other hosts' usage limits count, however short",
    file: 'host/parking.ts',
    from: 'if (until > now && until > (parked.get(provider) ?? 0))',
    to: 'if (until > now + 3_600_000)',
    seenBy: ['test/host/parked.test.ts'],
  },
];
