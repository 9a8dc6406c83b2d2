import type { Json } from '../../kernel/json.ts';
import type { ProjectFiles } from '../shared/context.ts';
import type { FoundMemory, MemoryQuery } from '../shared/prompt-contexts.ts';
import { readProjectFile } from './project-files.ts';
import type { MemoryInput } from './schema.ts';

/** The usual estimate for English text; an exact count needs the model's own tokenizer. */
const charactersPerToken = 4;

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

/** What a query finds in `memory/*.md`. */
interface Packed {
  readonly text: string;
  readonly packed: readonly FoundMemory[];
  /** Those that match and are left out for their size. */
  readonly noRoom: readonly FoundMemory[];
  /** Skipped files, whose confidence is not a number from 0 to 1. */
  readonly unsure: readonly string[];
}

/**
 * The matching memories of `memory/*.md`, the most confident first, up to the size limit; one that
 * does not fit is skipped, and smaller ones may still follow. A memory without a confidence has the
 * highest, one without a scope belongs to this project.
 */
export function packMemories(files: ProjectFiles, query: MemoryQuery): Packed {
  const { fitting, unsure } = matching(files, query);
  let left = query.maxTokens * charactersPerToken;
  const entries: string[] = [];
  const [packed, noRoom]: [FoundMemory[], FoundMemory[]] = [[], []];
  for (const { body, ...about } of fitting) {
    const entry = `${about.category === null ? '' : `(${about.category}) `}${body}`;
    const found = { ...about, tokens: Math.ceil(entry.length / charactersPerToken) };
    if (entry.length > left) {
      noRoom.push(found);
      continue;
    }
    left -= entry.length;
    entries.push(entry);
    packed.push(found);
  }
  const text = entries.map((entry) => `- ${entry.replaceAll('\n', '\n  ')}`).join('\n');
  return { text, packed, noRoom, unsure };
}

/** The memories that a query selects, whatever their size. */
function matching(files: ProjectFiles, { categories, minConfidence, scope: wanted }: MemoryQuery) {
  const unsure: string[] = [];
  const fitting = files
    .list('memory')
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => {
      const {
        path: file,
        front,
        body,
      } = readProjectFile(`memory/${name}`, files.read(`memory/${name}`) ?? '');
      const [category, confidence] = [word(front['category']), confidenceIn(front['confidence'])];
      if (confidence === null) {
        unsure.push(file);
        return [];
      }
      const isWanted = categories === null || (category !== null && categories.includes(category));
      const isOfScope = (word(front['scope']) ?? 'current') === wanted;
      if (body === '' || !isWanted || confidence < minConfidence || !isOfScope) return [];
      return [{ file, category, confidence, body }];
    })
    .toSorted((a, b) => b.confidence - a.confidence || a.file.localeCompare(b.file, 'en'));
  return { fitting, unsure };
}

/** Null: the value is not a number from 0 to 1. */
export function confidenceIn(value: Json | undefined): number | null {
  if (value === undefined || value === null) return 1;
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : null;
}

function word(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
