import type { Checked, Diagnostic } from '../core/diagnostic.ts';
import type { ErrorCode } from '../core/errors.ts';
import { isJsonObject } from '../core/json.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Draft } from '../core/mail/message.ts';
import { distance } from '../core/nearest.ts';
import { splitFrontMatter } from './front-matter.ts';
import { parseYaml } from './yaml.ts';
import type { Located, Path } from './yaml.ts';

export { formatMessage } from './message-text.ts';

/** The keys of an envelope. `id` and `created` are the controller's: what an author writes there is not looked at. */
const keys = [
  'id',
  'type',
  'from',
  'to',
  'thread',
  'in_reply_to',
  'subject',
  'created',
  'attachments',
  'fields',
] as const;

type Key = (typeof keys)[number];

/**
 * Reads a message as its author wrote it: a plain text, or prose below a front matter in YAML. Executes nothing. All that
 * is wrong is reported at once, under `E_MESSAGE` (`E_PATH` for an attachment outside the project). A key without a value
 * is not said; a key that nearly is one of ours is a mistake; other keys go to `extra`.
 */
export function parseMessage(text: string, file: string): Checked<Draft> {
  const split = splitFrontMatter(text, file);
  if (!split.ok) return { ok: false, problems: [split.problem] };
  if (split.front === null) return { ok: true, value: { ...nothingSaid, body: split.body }, warnings: [] };
  const yaml = parseYaml(split.front, file, 2);
  if (!yaml.ok)
    return { ok: false, problems: yaml.problems.map((problem) => ({ ...problem, code: 'E_MESSAGE' })) };
  return readEnvelope(yaml.value, split.body);
}

const nothingSaid: Draft = {
  type: null,
  from: null,
  to: null,
  thread: null,
  inReplyTo: null,
  subject: null,
  attachments: [],
  fields: {},
  extra: {},
  body: '',
  frontMatter: false,
};

function readEnvelope(yaml: Located, body: string): Checked<Draft> {
  const envelope = new Envelope(yaml);
  const draft: Draft = {
    type: envelope.name('type'),
    from: envelope.name('from'),
    to: envelope.names('to'),
    thread: envelope.name('thread'),
    inReplyTo: envelope.name('in_reply_to'),
    subject: envelope.text('subject'),
    attachments: envelope.paths('attachments'),
    fields: envelope.map('fields'),
    extra: envelope.rest(),
    body,
    frontMatter: true,
  };
  if (envelope.problems.length > 0) return { ok: false, problems: envelope.problems };
  return { ok: true, value: draft, warnings: [] };
}

/** What a value is, in words. */
function kindOf(value: Json): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return { object: 'a map', string: 'a text', number: 'a number', boolean: 'true or false' }[
    typeof value as 'object'
  ];
}

/** True for a path that leaves the folder it is relative to, on any system. */
function leaves(path: string): boolean {
  return /^[/\\]|^[A-Za-z]:|\0/.test(path) || path.split(/[/\\]/).includes('..');
}

/** Front matter, taken apart key by key; what is wrong with a key goes to `problems`. */
class Envelope {
  readonly problems: Diagnostic[] = [];
  private readonly yaml: Located;
  private readonly values: JsonObject;

  constructor(yaml: Located) {
    this.yaml = yaml;
    this.values = isJsonObject(yaml.value) ? yaml.value : {};
    if (!isJsonObject(yaml.value) && yaml.value !== null) {
      this.problem('E_MESSAGE', [], `front matter must be a map of keys, not ${kindOf(yaml.value)}`, null);
    }
  }

  text(key: Key): string | null {
    const value = this.values[key] ?? null;
    if (value === null || typeof value === 'string') return value;
    return this.wrong([key], value, 'must be a text');
  }

  name(key: Key): string | null {
    const value = this.text(key);
    return value === '' ? this.wrong([key], value, 'must not be empty') : value;
  }

  /** A text, or a list of at least one; nobody is named twice. */
  names(key: Key): readonly string[] | null {
    const value = this.values[key] ?? null;
    if (value === null) return null;
    const list = this.texts(
      key,
      typeof value === 'string' ? [value] : value,
      'must be a text or a list of texts',
    );
    return list === null ? null : [...new Set(list)];
  }

  paths(key: Key): readonly string[] {
    const value = this.values[key] ?? [];
    const list =
      Array.isArray(value) && value.length === 0 ? [] : this.texts(key, value, 'must be a list of paths');
    for (const [index, path] of (list ?? []).entries()) {
      if (!leaves(path)) continue;
      const hint = 'paths are relative to the project, without `..`';
      this.problem('E_PATH', [key, index], `the path \`${path}\` would leave the project`, hint);
    }
    return list ?? [];
  }

  map(key: Key): JsonObject {
    const value = this.values[key] ?? {};
    if (isJsonObject(value)) return value;
    this.wrong([key], value, 'must be a map');
    return {};
  }

  /** The keys that are not ours. One that is a slip of the finger away from ours is a mistake, not an extra. */
  rest(): JsonObject {
    const extra: JsonObject = {};
    for (const [key, value] of Object.entries(this.values)) {
      if (keys.includes(key as Key)) continue;
      const meant = keys.find(
        (known) => known === key.toLowerCase().replaceAll('-', '_') || distance(known, key) === 1,
      );
      if (meant !== undefined) {
        this.problem(
          'E_MESSAGE',
          [key],
          `\`${key}\` is not a key of a message`,
          `did you mean \`${meant}\`?`,
          'key',
        );
      }
      Object.defineProperty(extra, key, { value, enumerable: true, configurable: true, writable: true });
    }
    return extra;
  }

  private texts(key: Key, value: Json, rule: string): string[] | null {
    if (!Array.isArray(value) || value.length === 0) return this.wrong([key], value, rule);
    const texts: string[] = [];
    for (const [index, item] of value.entries()) {
      if (typeof item !== 'string') this.wrong([key, index], item, 'must be a text');
      else if (item === '') this.wrong([key, index], item, 'must not be empty');
      else texts.push(item);
    }
    return texts;
  }

  private wrong(path: Path, value: Json, rule: string): null {
    const number = typeof value === 'number' || typeof value === 'boolean';
    const empty = rule.endsWith('empty')
      ? ''
      : Array.isArray(value) && value.length === 0
        ? ', not empty'
        : `, not ${kindOf(value)}`;
    this.problem('E_MESSAGE', path, `\`${path[0]}\` ${rule}${empty}`, number ? 'quote it' : null);
    return null;
  }

  private problem(code: ErrorCode, path: Path, message: string, hint: string | null, part?: 'key'): void {
    this.problems.push({ code, severity: 'error', message, place: this.yaml.place(path, part), hint });
  }
}
