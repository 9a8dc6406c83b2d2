import type { Checked, Diagnostic } from '../../kernel/diagnostic.ts';
import type { Draft, Message, Work } from './message.ts';
import { inOrder } from '../../yaml/diagnostics.ts';
import { Envelope } from './envelope.ts';
import { withoutBlock } from './own-block.ts';
import { splitFrontMatter } from './front-matter.ts';
import { unwrapped } from './wrapped.ts';
import { readPlain } from '../../yaml/plain-document.ts';
import { Source } from '../../yaml/source.ts';
import { parseYaml } from '../../yaml/yaml.ts';
import type { Located } from '../../yaml/yaml.ts';

export { formatMessage } from './message-text.ts';

/**
 * Reads a message as its author wrote it: plain text, or prose below YAML front matter. Executes
 * nothing. Reports all errors at once, under `E_MESSAGE` (`E_PATH` for an attachment outside the
 * project). A key without a value counts as not set; a misspelt known key is an error; other keys
 * go to `extra`. `by`: a turn is refused where a person's file may just be text, see `unwrapped`.
 */
export function parseMessage(text: string, file: string, by: 'turn' | 'person' = 'person'): Checked<Draft> {
  const found = unwrapped(text, file, by === 'turn');
  if (!found.ok) return { ok: false, problems: [found.problem] };
  const opened = openMessage(found.text, file, { line: found.line });
  if (!opened.ok) return { ok: false, problems: opened.problems };
  if (opened.yaml === null) return { ok: true, value: { ...nothingSaid, body: opened.body }, warnings: [] };
  const envelope = new Envelope(opened.yaml);
  const value = readDraft(envelope, opened.body);
  if (envelope.problems.length > 0) return { ok: false, problems: inOrder(envelope.problems, [file]) };
  return { ok: true, value, warnings: [] };
}

/**
 * Reads a message that `formatMessage` wrote, including `id` and `created`. Only for files that
 * Mailroom wrote: in authors' files both are untrusted. Has no limit of 64 KiB, as an author's
 * front matter can be longer as Mailroom writes it. Plain text, or an envelope with a missing key,
 * is `E_MESSAGE`.
 */
export function parseEnvelope(text: string, file: string): Checked<Message> {
  const opened = openMessage(text, file, { longest: text.length });
  if (!opened.ok) return { ok: false, problems: opened.problems };
  const envelope = new Envelope(
    opened.yaml ?? { value: {}, place: () => new Source(file, text).place(0, 1) },
  );
  const { type, from, to, thread, subject, frontMatter: _, ...rest } = readDraft(envelope, opened.body);
  const value: Message = {
    ...rest,
    id: envelope.required('id', envelope.name('id')),
    type: envelope.required('type', type),
    from: envelope.required('from', from),
    to: envelope.required('to', to),
    thread: envelope.required('thread', thread),
    subject: envelope.required('subject', subject),
    created: envelope.time('created'),
    work: workOf(envelope),
  };
  if (envelope.problems.length > 0) return { ok: false, problems: inOrder(envelope.problems, [file]) };
  return { ok: true, value, warnings: [] };
}

function landedOf(envelope: Envelope): Work['landed'] {
  const [branch, commit, before = null] = envelope.name('landed')?.split(' ') ?? [];
  return branch === undefined || commit === undefined ? null : { branch, commit, before };
}

function workOf(envelope: Envelope): Work | null {
  const [commit, branch] = [envelope.name('commit'), envelope.name('branch')];
  return commit === null || branch === null ? null : { commit, branch, landed: landedOf(envelope) };
}

type Opened =
  | { readonly ok: true; readonly yaml: Located | null; readonly body: string }
  | { readonly ok: false; readonly problems: readonly Diagnostic[] };

/** `line`: the number of the first line. */
interface Bounds {
  readonly longest?: number | undefined;
  readonly line?: number;
}

function openMessage(text: string, file: string, { longest, line = 1 }: Bounds): Opened {
  const split = splitFrontMatter(text, file, longest, line);
  if (!split.ok) return { ok: false, problems: [split.problem] };
  const body = withoutBlock(split.body);
  if (split.front === null) return { ok: true, yaml: null, body };
  const plain = readPlain(split.front, file, line + 1);
  if (plain !== null) return { ok: true, yaml: plain, body };
  const yaml = parseYaml(split.front, file, line + 1, longest);
  if (yaml.ok) return { ok: true, yaml: yaml.value, body };
  return { ok: false, problems: yaml.problems.map((problem) => ({ ...problem, code: 'E_MESSAGE' })) };
}

export const nothingSaid: Draft = {
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

function readDraft(envelope: Envelope, body: string): Draft {
  return {
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
}
