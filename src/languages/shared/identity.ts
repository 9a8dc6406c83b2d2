import { isJsonObject, type Json } from '../../kernel/json.ts';
import { readDocument } from './document.ts';

/** What a workflow file calls itself, in whichever language it is written. */
export interface Identity {
  /** From the project. */
  readonly file: string;
  /** `workflow.id`; null: it has none. */
  readonly id: string | null;
  /** What people call it: `name`, `workflow.name`. */
  readonly names: readonly string[];
  /** Whether the text could be read at all; if not, the file may have any id. */
  readonly isReadable: boolean;
}

/** The identity that a text gives its file; the rest of the workflow is not checked. */
export function identityOf(text: string, file: string): Identity {
  const read = readDocument(text, file);
  if (!read.ok) return { file, id: null, names: [], isReadable: false };
  const { value } = read.value;
  const workflow = field(value, 'workflow');
  const names = [field(value, 'name'), field(workflow, 'name')].filter((name) => typeof name === 'string');
  const id = field(workflow, 'id');
  return { file, id: typeof id === 'string' ? id : null, names, isReadable: true };
}

function field(value: Json, key: string): Json {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key]! : null;
}
