import type { Mutation } from './mutation.ts';

export const runs: readonly Mutation[] = [
  {
    mechanism: 'effects wait for the sync beside the process',
    file: 'host/ledger.ts',
    from: 'await this.#journal.syncBeside();',
    to: 'void this.#journal.syncBeside();',
    seenBy: ['test/host/ledger.test.ts'],
  },
  {
    mechanism: 'a step that ended incomplete does not run again on resume',
    file: 'workflow/machine/decide/reopen.ts',
    from: "    case 'INCOMPLETE':\n      return true;",
    to: "      return true;\n    case 'INCOMPLETE':\n      return false;",
    seenBy: ['test/workflow/machine/stalls.test.ts'],
  },
  {
    mechanism: 'a run that ends starts nothing in the same round',
    file: 'workflow/machine/decide/starts.ts',
    from: "ends ? facts.filter(({ type }) => type !== 'started') : facts",
    to: 'facts',
    seenBy: ['test/workflow/machine/runs.test.ts'],
  },
  {
    mechanism: "a sub-workflow's budget counts the reservations of its inner bodies",
    file: 'workflow/machine/decide/room.ts',
    from: ' || each.scope.startsWith(`${path}/`)',
    to: '',
    seenBy: ['test/workflow/machine/runs.test.ts'],
  },
  {
    mechanism: 'the patch is kept before changes are undone',
    file: 'git/rollback.ts',
    from: '  keep(patch);\n  const [added',
    to: '  setTimeout(() => keep(patch), 0);\n  const [added',
    seenBy: ['test/git/rollback.test.ts'],
  },
  {
    mechanism: 'a rollback leaves what is not its own',
    file: 'git/rollback.ts',
    from: 'const changes = found.filter(({ path }) => !ours(path.slice(prefix.length)));',
    to: 'const changes = found;',
    seenBy: ['test/git/rollback.test.ts'],
  },
];
