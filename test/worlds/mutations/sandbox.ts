import type { Mutation } from './mutation.ts';

export const sandbox: readonly Mutation[] = [
  {
    mechanism: 'a protected branch is read-only',
    file: 'process/sandbox/git-places.ts',
    from: 'if (branch === undefined || isProtected(branch)) return',
    to: 'if (branch === undefined) return',
    seenBy: ['test/process/git-places.test.ts'],
  },
  {
    mechanism: 'other branches are read-only',
    file: 'process/sandbox/git-places.ts',
    from: 'held: [...held, ...otherBranches(git, branch)],',
    to: 'held,',
    seenBy: ['test/process/git-places.test.ts'],
  },
  {
    mechanism: 'packs of git are read-only',
    file: 'process/sandbox/git-places.ts',
    from: "['info', 'pack']",
    to: "['info']",
    seenBy: ['test/process/git-places.test.ts'],
  },
  {
    mechanism: 'a CLI with plug-ins in the workspace is refused',
    file: 'process/sandbox/agent-settings.ts',
    from: '  if (path === undefined) return;\n',
    to: '  return;\n',
    seenBy: ['test/process/agent-settings.test.ts'],
  },
  {
    mechanism: 'secrets of the host are known by their names',
    file: 'process/sandbox/environment.ts',
    from: '/KEY|TOKEN|SECRET|PASSWORD/i',
    to: '/KEY|TOKEN|SECRET/i',
    seenBy: ['test/process/sandbox/environment.test.ts'],
  },
  {
    mechanism: 'no step writes a rule',
    file: 'workflow/files/guard.ts',
    from: "if (isOurs || path.split('/').includes('.git'))",
    to: "if (path.split('/').includes('.git'))",
    seenBy: ['test/workflow/files/paths.test.ts'],
  },
  {
    mechanism: 'no step writes a repository',
    file: 'workflow/files/guard.ts',
    from: "if (isOurs || path.split('/').includes('.git'))",
    to: 'if (isOurs)',
    seenBy: ['test/workflow/files/paths.test.ts'],
  },
];
