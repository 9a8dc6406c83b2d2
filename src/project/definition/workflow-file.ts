import { join } from 'node:path';
import { findText } from '../../disk/text.ts';

/**
 * The file of a workflow at an absolute path, which may be the workflow's folder. Null: there is no
 * file.
 */
export function workflowFile(path: string): string | null {
  const files = [join(path, 'WORKFLOW.yaml'), join(path, 'WORKFLOW.json'), path];
  return files.find((file) => findText(file) !== null) ?? null;
}
