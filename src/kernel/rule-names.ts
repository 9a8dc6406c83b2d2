/**
 * The files and folders of a project that define permissions, commands and history. No agent and no
 * step writes them.
 */
export const ruleNames: readonly string[] = [
  '.mailroom',
  'agents',
  'protocols',
  'workflows',
  'mailroom.yaml',
  'agents.yaml',
  '.skillmeat-workflow-overrides.yaml',
];
