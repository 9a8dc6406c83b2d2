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

/** Files that git obeys in any folder of a checkout. */
export const obeyedByGit: readonly string[] = ['.gitattributes', '.gitmodules', '.lfsconfig'];

/** The folders of a role that hold mail. */
export const mailFolders: readonly string[] = ['inbox', 'outbox', 'processed', 'sent', 'failed'];

/** Whether a path of a project, in segments, lies in the mail of a role. */
export function isMailFolder([agents, , folder]: readonly string[]): boolean {
  return agents === 'agents' && folder !== undefined && mailFolders.includes(folder);
}
