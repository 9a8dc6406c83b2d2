import { isJsonObject } from '../kernel/json.ts';
import { readDocument } from '../languages/shared/document.ts';
import { languagesOf, type Languages } from '../languages/shared/workflow-language.ts';

/** What a file is to Mailroom. */
export type FileKind = 'workflow' | 'overrides' | 'protocol' | 'settings' | 'agents' | 'message';

const byPath: readonly (readonly [RegExp, FileKind | null])[] = [
  [/^mailroom\.yaml$/, 'settings'],
  [/^(?:workflows\/(?:.+\/)?)?agents\.yaml$/, 'agents'],
  [/^protocols\/[^/.][^/]*\.ya?ml$/, 'protocol'],
  [/^agents\/[^/]+\/(?:inbox|outbox)\/.+\.md$/, 'message'],
  [/^(?:agents|\.mailroom)\//, null],
  [/^workflows\/overrides\.yaml$|^workflows\/(?:.+\/)?overrides\/[^/]+\.ya?ml$/, 'overrides'],
  [/^workflows\/.+\.(?:ya?ml|json)$/, 'workflow'],
];

/**
 * The kind of a file, by its path from the project, else (and outside of a project) by its content.
 * Null: none of Mailroom's.
 */
export function kindOf(
  path: string,
  inProject: boolean,
  text: string,
  languages: Languages,
): FileKind | null {
  const known = inProject ? byPath.find(([pattern]) => pattern.test(path)) : undefined;
  return known === undefined ? byContent(path, text, languages) : known[1];
}

function byContent(path: string, text: string, languages: Languages): FileKind | null {
  if (path.endsWith('.md')) return /^---\r?\n(?:[^]*?\n)?(?:type|to):/.test(text) ? 'message' : null;
  if (!/\.(?:ya?ml|json)$/.test(path)) return null;
  const read = readDocument(text, path);
  if (!read.ok || !isJsonObject(read.value.value)) return null;
  const { value } = read.value;
  if (isJsonObject(value['roles']) || isJsonObject(value['messages'])) return 'protocol';
  const isWorkflow = languages.some(({ signs }) =>
    signs.every((fits) => fits(value, read.value.sourceOf(['version']))),
  );
  return isWorkflow && languagesOf(read.value, languages).length > 0 ? 'workflow' : null;
}
