/** Folders of a workspace that configure agents. */
export const settingsFolders = ['.claude', '.codex', '.gemini', '.opencode', '.pi'] as const;

/** The same, with one that several agents share and that no sandbox protects. */
export const obeyedFolders = ['.agents', ...settingsFolders] as const;

/** Files of a workspace that configure agents; `*` matches the rest of a name. */
export const settingsFiles = ['.mcp.json', 'opencode.json', 'opencode.jsonc', '.env*'] as const;

/** Settings of a repository that a program obeys despite its switches. */
export interface RepositorySettings {
  /** Files and folders, in the workspace or in a folder above it. */
  readonly names: readonly string[];
  /** The keys in them that the program obeys. */
  readonly keys: readonly string[];
  /** What they can do, as part of a sentence: "name another server and hooks". */
  readonly may: string;
  /** What to do about them, other than removing them, as part of a sentence. */
  readonly advice: string;
  /** Whether a sandbox hides them. */
  readonly hidden: boolean;
}
