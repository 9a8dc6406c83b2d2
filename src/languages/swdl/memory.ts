import type { Json } from '../../kernel/json.ts';
import type { ProjectFiles } from '../shared/context.ts';
import { readProjectFile } from './project-files.ts';
import type { MemoryInput } from './schema.ts';

/** As usual for English text; nobody counts more exactly without the tokens of the very model. */
const charactersPerToken = 4;

/** Which memories a prompt gets. */
export interface MemoryQuery {
  readonly scope: string;
  readonly minConfidence: number;
  /** Null: all. */
  readonly categories: readonly string[] | null;
  readonly maxTokens: number;
}

/** Field by field what the stage says, else the workflow, else the default. Null: neither wants memories. */
export function memoryQuery(
  stage: MemoryInput | undefined,
  workflow: MemoryInput | undefined,
): MemoryQuery | null {
  if (stage === undefined && workflow === undefined) return null;
  return {
    scope: stage?.project_scope ?? workflow?.project_scope ?? 'current',
    minConfidence: stage?.min_confidence ?? workflow?.min_confidence ?? 0.7,
    categories: stage?.categories ?? workflow?.categories ?? null,
    maxTokens: stage?.max_tokens ?? workflow?.max_tokens ?? 2_000,
  };
}

/**
 * The memories of `memory/*.md` that fit, the surest first, as many as have room; one that has none is left out, and smaller
 * ones may still follow. A memory without a confidence is sure, without a scope it is of this project. `unsure` are the files
 * that are left out because their confidence is not a number from 0 to 1.
 */
export function packMemories(
  files: ProjectFiles,
  query: MemoryQuery,
): { readonly text: string; readonly unsure: readonly string[] } {
  const unsure: string[] = [];
  const fitting = files
    .list('memory')
    .filter((name) => name.endsWith('.md'))
    .map((name) => readProjectFile(name, files.read(`memory/${name}`) ?? ''))
    .map(({ path, front, body }) => ({
      path,
      body,
      category: word(front['category']),
      confidence: confidenceIn(front['confidence']),
      scope: word(front['scope']) ?? 'current',
    }))
    .filter(({ path, body, category, confidence, scope }) => {
      if (confidence === null) {
        unsure.push(`memory/${path}`);
        return false;
      }
      const { categories } = query;
      const isWanted = categories === null || (category !== null && categories.includes(category));
      return body !== '' && isWanted && confidence >= query.minConfidence && scope === query.scope;
    })
    .toSorted((a, b) => (b.confidence ?? 0) - (a.confidence ?? 0) || a.path.localeCompare(b.path, 'en'));
  let left = query.maxTokens * charactersPerToken;
  const packed: string[] = [];
  for (const { body, category } of fitting) {
    const entry = `${category === null ? '' : `(${category}) `}${body}`;
    if (entry.length > left) continue;
    left -= entry.length;
    packed.push(entry);
  }
  return { text: packed.map((entry) => `- ${entry.replaceAll('\n', '\n  ')}`).join('\n'), unsure };
}

/** Null: what is written is not a number from 0 to 1. */
function confidenceIn(value: Json | undefined): number | null {
  if (value === undefined || value === null) return 1;
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : null;
}

function word(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
