/** What says in a project who may do what, what is run and what was said. No agent and no step writes it. */
export const ruleNames: readonly string[] = [
  '.mailroom',
  'agents',
  'protocols',
  'workflows',
  'mailroom.yaml',
  '.skillmeat-workflow-overrides.yaml',
];
