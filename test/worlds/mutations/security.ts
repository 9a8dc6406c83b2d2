import type { Mutation } from './mutation.ts';

export const security: readonly Mutation[] = [
  {
    mechanism: 'a gate is rejected only by its approvers',
    file: 'workflow/machine/commands.ts',
    from: 'const stranger = strangerProblem(phase, command);',
    to: "const stranger = command.verb === 'reject' ? null : strangerProblem(phase, command);",
    seenBy: ['test/workflow/machine/commands.test.ts'],
  },
  {
    mechanism: 'no person answers in the name of a timeout',
    file: 'workflow/machine/commands.ts',
    from: 'if (by === automaticApprover) return',
    to: 'if (by === `${automaticApprover}!`) return',
    seenBy: ['test/workflow/machine/commands.test.ts'],
  },
  {
    mechanism: 'a page of another origin is refused, also one whose name begins like ours',
    file: 'server/http/access.ts',
    from: 'origin.toLowerCase() !== `http://${host.toLowerCase()}`',
    to: '!origin.toLowerCase().startsWith(`http://${host.toLowerCase()}`)',
    seenBy: ['test/server/http/access.test.ts'],
  },
  {
    mechanism: 'agents inherit the named variables alone',
    file: 'process/sandbox/environment.ts',
    from: "new RegExp(`^${parts.join('.*')}$`, 's')",
    to: "new RegExp(`^${parts.join('.*')}`, 's')",
    seenBy: ['test/process/sandbox/environment.test.ts'],
  },
];
