import type { Json } from '../../kernel/json.ts';
import type { ProjectFiles } from '../shared/context.ts';
import { readProjectFile } from './project-files.ts';
import type { MemoryInput } from './schema.ts';

/** The usual estimate for English text; an exact count needs the model's own tokenizer. */
const charactersPerToken = 4;

/** The selection of memories for a prompt. */
interface MemoryQuery {
  readonly scope: string;
  readonly minConfidence: number;
  /** Null: all. */
  readonly categories: readonly string[] | null;
  readonly maxTokens: number;
}

/**
 * The stage's value for each field, otherwise the workflow's, otherwise the default. Null: neither
 * selects memories.
 */
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
 * The matching memories of `memory/*.md`, the most confident first, up to the size limit; one that
 * does not fit is skipped, and smaller ones may still follow. A memory without a confidence has the
 * highest, one without a scope belongs to this project. `unsure`: skipped files, whose confidence
 * is not a number from 0 to 1.
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

/** Null: the value is not a number from 0 to 1. */
export function confidenceIn(value: Json | undefined): number | null {
  if (value === undefined || value === null) return 1;
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : null;
}

function word(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
