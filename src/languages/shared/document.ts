import type { Checked } from '../../kernel/diagnostic.ts';
import { readPlain } from '../../yaml/plain-document.ts';
import { parseYaml, type YamlDocument } from '../../yaml/yaml.ts';

/** The size limit of a workflow in characters: instructions can be long. */
const largestWorkflow = 4 * 1024 * 1024;

/** Above this length, in characters, parsing speed matters. */
const long = 16 * 1024;

/** Reads a workflow file as a document. */
export function readDocument(text: string, file: string): Checked<YamlDocument> {
  const isLong = text.length > long && text.length <= largestWorkflow;
  const plain = isLong ? readPlain(text, file) : null;
  return plain === null
    ? parseYaml(text, file, 1, largestWorkflow)
    : { ok: true, value: plain, warnings: [] };
}
