/** What a role's agent is permitted to do. Each provider maps these to its own restrictions. */
export type Capability = 'READ' | 'EDIT' | 'RUN_TESTS' | 'RUN_COMMANDS';

export const capabilities: readonly Capability[] = ['READ', 'EDIT', 'RUN_TESTS', 'RUN_COMMANDS'];
