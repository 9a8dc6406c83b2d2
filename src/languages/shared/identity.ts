import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
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
  readonly tags: readonly string[];
  readonly author: string | null;
  /** What the composer has stored of the workflow; null: nothing. */
  readonly ui: JsonObject | null;
}

/** The identity of a file that cannot be read. */
export function unknownIdentity(file: string): Identity {
  return { file, id: null, names: [], isReadable: false, tags: [], author: null, ui: null };
}

/** The identity of a workflow file; does not check the rest of the workflow. */
export function identityOf(text: string, file: string): Identity {
  const read = readDocument(text, file);
  if (!read.ok) return unknownIdentity(file);
  const { value } = read.value;
  const workflow = field(value, 'workflow');
  const names = [field(value, 'name'), field(workflow, 'name')].filter((name) => typeof name === 'string');
  const about = isJsonObject(workflow) ? workflow : value;
  const [tags, ui] = [field(about, 'tags'), field(about, 'ui')];
  return {
    file,
    id: textOf(field(workflow, 'id')),
    names,
    isReadable: true,
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    author: textOf(field(about, 'author')),
    ui: isJsonObject(ui) ? ui : null,
  };
}

function textOf(value: Json): string | null {
  return typeof value === 'string' ? value : null;
}

function field(value: Json, key: string): Json {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key]! : null;
}
