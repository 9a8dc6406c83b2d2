import type { Workflow } from '../workflow/model.ts';
import { writeNative } from '../languages/native/write/write.ts';

/** A workflow as an equivalent file of the native language. */
export function convertToNative(workflow: Workflow): string {
  return writeNative(workflow);
}
