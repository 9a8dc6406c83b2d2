import type { Workflow } from '../workflow/model.ts';
import { writeNative } from '../languages/native/write/write.ts';

/** A workflow as the text of a file of the native language that does the same. */
export function convertToNative(workflow: Workflow): string {
  return writeNative(workflow);
}
