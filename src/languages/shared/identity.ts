import { isJsonObject, type Json } from '../../kernel/json.ts';
import { readDocument } from './document.ts';

/** The names of a workflow, in any language. */
export interface Identity {
  /** Path relative to the project. */
  readonly file: string;
  /** `workflow.id`; null: none. */
  readonly id: string | null;
  /** Names for people: `name`, `workflow.name`. */
  readonly names: readonly string[];
  /** Whether the text could be read; if not, the file may have any id. */
  readonly isReadable: boolean;
}

/** The identity of a workflow file; does not check the rest of the workflow. */
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
