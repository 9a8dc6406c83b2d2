import { join } from 'node:path';
import { findText } from '../../disk/text.ts';

/** The file of a workflow at an absolute path: a folder may be a workflow, and holds it then. Null: no file lies there. */
export function workflowFile(path: string): string | null {
  const files = [join(path, 'WORKFLOW.yaml'), join(path, 'WORKFLOW.json'), path];
  return files.find((file) => findText(file) !== null) ?? null;
}
