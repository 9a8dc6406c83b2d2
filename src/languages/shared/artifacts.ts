import type { Capability } from '../../kernel/capabilities.ts';
import type { LanguageContext } from './context.ts';

export const artifactKinds = ['agent', 'skill', 'mcp', 'ctx', 'memory'] as const;

export type ArtifactKind = (typeof artifactKinds)[number];

/** Something that a stage can name, or that its prompt can have. */
export interface Artifact {
  /** `agent:writer`, as a stage names it; of a memory, which none can name, its file. */
  readonly ref: string;
  readonly kind: ArtifactKind;
  readonly name: string;
  readonly description: string | null;
  /** Null: it has no file of its own. */
  readonly file: string | null;
  /** Of an agent; null: another kind, or its program's default. */
  readonly provider: string | null;
  readonly model: string | null;
  readonly capabilities: readonly Capability[];
  readonly ok: boolean;
  /** Why it cannot be used; null: it can. */
  readonly problem: string | null;
}

/** What a language needs to find them. */
export type ArtifactContext = Pick<LanguageContext, 'protocol' | 'agents' | 'agentDefaults' | 'files'> & {
  /** Names of the known providers. */
  readonly providers: readonly string[];
};

/** What is known of something that was named and does not exist. */
export function missingArtifact(kind: ArtifactKind, name: string, problem: string): Artifact {
  return { ...nothing, ref: `${kind}:${name}`, kind, name, ok: false, problem };
}

/** An MCP server of the person's own settings, which the project cannot see. */
export function serverCalled(name: string): Artifact {
  return { ...nothing, ref: `mcp:${name}`, kind: 'mcp', name };
}

/** Of an artifact of which nothing is known but its name. */
export const nothing = {
  description: null,
  file: null,
  provider: null,
  model: null,
  capabilities: [],
  ok: true,
  problem: null,
} as const;
