import type { Workflow } from '../../core/workflow/model.ts';
import { writeNative } from '../../spec/workflow/native/write/write.ts';

/** A workflow as the text of a file of the native language that does the same. */
export function convertToNative(workflow: Workflow): string {
  return writeNative(workflow);
}
