/** Folders of a workspace that configure agents. */
export const settingsFolders = ['.claude', '.codex', '.gemini', '.opencode'] as const;

/** Files of a workspace that do; `*` stands for the rest of a name. */
export const settingsFiles = ['.mcp.json', 'opencode.json', 'opencode.jsonc', '.env*'] as const;

/** Settings of a repository that a program obeys whatever its switches say. */
export interface RepositorySettings {
  /** Files and folders, from the workspace or from a folder above it. */
  readonly names: readonly string[];
  /** Of what stands in them, what it obeys: names of keys. */
  readonly keys: readonly string[];
  /** What they may do, in words: "name another server and hooks". */
  readonly may: string;
  /** What to do about them, besides removing them, in words. */
  readonly advice: string;
  /** Whether a sandbox hides them. */
  readonly hidden: boolean;
}
