import type { ProviderKind } from '../core/config.ts';

/** By CLI: what in its own folders decides what it runs and may do, the next time and outside a sandbox, too. */
const names: Readonly<Partial<Record<ProviderKind, string>>> = {
  claude:
    'settings.json settings.local.json CLAUDE.md agents commands hooks output-styles plugins rules skills',
  codex: 'config.toml hooks.json AGENTS.md agents hooks plugins prompts rules skills',
  gemini:
    'settings.json .env GEMINI.md trustedFolders.json trusted_hooks.json agents commands extensions hooks policies skills',
  opencode:
    'opencode.json opencode.jsonc config.json AGENTS.md agent agents command commands mode modes plugin plugins skill skills tool tools',
};

/** The settings of a CLI in the first of its folders, absolute. */
export function guardedSettings(kind: ProviderKind, [folder = '']: readonly string[]): string[] {
  return (names[kind]?.split(' ') ?? []).map((name) => `${folder}/${name}`);
}
