import type { Checked } from '../../core/diagnostic.ts';
import { parseYaml, type YamlDocument } from '../yaml.ts';

/** The largest workflow that is read, in characters. */
export const largestWorkflow = 4 * 1024 * 1024;

/** A workflow file as a document. */
export function readDocument(text: string, file: string): Checked<YamlDocument> {
  return parseYaml(text, file, 1, largestWorkflow);
}
