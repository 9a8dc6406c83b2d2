import { createHash } from 'node:crypto';
import type { AskedCall } from '../kernel/asked-call.ts';
import type { Edit } from '../kernel/edits.ts';
import type { Usage } from '../kernel/cost.ts';
import type { Exit, Invocation, Outcome, StagedFile } from './provider.ts';

/** One file of a recording: one invocation, its input (as a key) and its result. */
interface Recorded {
  /** `<role>-<key>-t<turn>-a<attempt>-r<round>.json` */
  readonly name: string;
  readonly json: string;
}

/**
 * The JSON content. `text` and `files` contain names for ids, dates and paths: `{{thread}}`,
 * `{{message.1.id}}`. The name of a file is one in the staging folder, or the path of a step's
 * output, which begins with `{{workspace}}/`.
 */
interface Recording {
  readonly mailroom_recording: 1;
  readonly role: string;
  readonly key: string;
  readonly turn: number;
  readonly attempt: number;
  readonly round: number;
  readonly outcome: 'done' | 'asked' | 'later' | 'timed-out' | 'limited' | 'never';
  readonly reason: string | null;
  /** The exit code of the recorded program, for people. */
  readonly exit: number | null;
  readonly duration_ms: number;
  readonly usage: Usage;
  readonly text: string;
  /** What a person must decide, in a turn that was `asked`. */
  readonly asks?: readonly AskedCall[];
  readonly files: readonly { readonly name: string; readonly text: string }[];
  /** The number of recordings in the folder when it was added, including itself. */
  readonly order: number;
  /** Its other changes in the workspace; null: unknown. */
  readonly edits: readonly RecordedEdit[] | null;
  /** Changed files that were too large. */
  readonly left_out: readonly string[];
}

/**
 * `before` and `after` are names of contents (null: no file); the new content is in `text` or in
 * `base64`.
 */
interface RecordedEdit {
  readonly path: string;
  readonly kind: Edit['kind'];
  readonly before: string | null;
  readonly after: string | null;
  readonly text?: string;
  readonly base64?: string;
}

/**
 * A message that the turn consumed: the name and the whole text of its file, in the order of
 * `invocation.paths.messages`.
 */
interface Consumed {
  readonly name: string;
  readonly text: string;
}

/**
 * The recording of one invocation, from which bin/replay-agent.mjs can answer in another project,
 * on another day, with other ids. Staged files that could not be read are left out.
 */
export function recordOf(
  invocation: Invocation,
  messages: readonly Consumed[],
  exit: Exit,
  staged: readonly StagedFile[],
  outcome: Outcome,
  order = 1,
): Recorded {
  const { role, attempt, round } = invocation;
  const turn = Number(invocation.turn.replaceAll(/\D/g, ''));
  const key = keyOf(messages.length > 0 ? messages : [{ text: invocation.prompt }], invocation);
  const names = namesIn(invocation, messages);
  const asks = asksIn(outcome);
  const recording: Recording = {
    mailroom_recording: 1,
    role,
    key,
    turn,
    attempt,
    round,
    outcome: kindOf(outcome),
    reason: outcome.is === 'done' ? null : nameAll(outcome.reason.text, names),
    exit: exit.code,
    duration_ms: Math.round(exit.durationMs),
    usage: outcome.usage,
    text: outcome.is === 'done' ? nameAll(outcome.text, names) : '',
    ...(asks.length > 0 && { asks: asks.map((call) => namedCall(call, names)) }),
    files: staged.flatMap(({ name, content }) =>
      content.ok ? [{ name: nameAll(name, names), text: nameAll(content.text, names) }] : [],
    ),
    order,
    edits: exit.edits?.changed.map((edit) => recordedEdit(edit, invocation, names)) ?? null,
    left_out: exit.edits?.leftOut ?? [],
  };
  return {
    name: `${role}-${key}-t${turn}-a${attempt}-r${round}.json`,
    json: `${JSON.stringify(recording, null, 2)}\n`,
  };
}

function recordedEdit(
  { path, kind, before, after }: Edit,
  invocation: Invocation,
  names: ReadonlyMap<string, string>,
): RecordedEdit {
  const contents = {
    before: before && contentName(before, invocation),
    after: after && contentName(after, invocation),
  };
  const edit = { path: nameAll(path, names), kind, ...contents };
  if (after === null) return edit;
  const text = Buffer.from(after).toString('utf8');
  const isText = !text.includes('\0') && Buffer.from(text).equals(after);
  return {
    ...edit,
    ...(isText ? { text: nameAll(text, names) } : { base64: Buffer.from(after).toString('base64') }),
  };
}

function namedCall(call: AskedCall, names: ReadonlyMap<string, string>): AskedCall {
  const named = (text: string | null) => text && nameAll(text, names);
  const { key, title, kind, command, paths, input } = call;
  return {
    key: nameAll(key, names),
    title: nameAll(title, names),
    kind,
    command: named(command),
    paths: paths.map((path) => nameAll(path, names)),
    input: named(input),
  };
}

function asksIn(outcome: Outcome): readonly AskedCall[] {
  return outcome.is === 'done' ? (outcome.asks ?? []) : [];
}

function kindOf(outcome: Outcome): Recording['outcome'] {
  if (asksIn(outcome).length > 0) return 'asked';
  if (outcome.is !== 'later') return outcome.is;
  if (outcome.class === 'RETRYABLE_RATE_LIMIT') return 'limited';
  return outcome.reason.code === 'E_TIMEOUT' ? 'timed-out' : 'later';
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const date = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const messageFile = /\d{8}T\d{9}Z-([\w.-]+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.md/g;

/**
 * The front matter keys about the subject matter, with the lines that belong to each; the others
 * differ from run to run.
 */
const lasting = /^(?:type|from|subject|attachments|fields):.*\n(?:[ \t-].*\n)*/gm;

/**
 * A key of a turn's or step's input: equal for the same types, senders, subjects, fields and prose,
 * whatever the ids, dates and folders. bin/replay-agent.mjs computes the same.
 */
export function keyOf(
  messages: readonly Pick<Consumed, 'text'>[],
  { project, workspace }: Pick<Invocation, 'project' | 'workspace'>,
): string {
  const hash = createHash('sha256');
  for (const { text } of messages) hash.update(`${enduring(text, project, workspace)}\0`);
  return hash.digest('hex').slice(0, 12);
}

function enduring(text: string, project: string, workspace: string): string {
  const lines = text.replaceAll('\r\n', '\n');
  const end = lines.startsWith('---\n') ? lines.indexOf('\n---\n', 3) : -1;
  const head = end === -1 ? [] : (lines.slice(4, end + 1).match(lasting) ?? []);
  const body = end === -1 ? lines : lines.slice(end + 5);
  return lastingText(`${head.join('')}\n${body.trim()}`, project, workspace);
}

/**
 * A name for a file's content of any bytes: equal whatever the ids, dates, folders and line endings
 * in it. bin/replay-agent.mjs computes the same.
 */
function contentName(
  content: Uint8Array,
  { project, workspace }: Pick<Invocation, 'project' | 'workspace'>,
): string {
  const bytes = (text: string) => Buffer.from(text).toString('latin1');
  const text = Buffer.from(content).toString('latin1').replaceAll('\r\n', '\n');
  const hash = createHash('sha256').update(lastingText(text, bytes(project), bytes(workspace)), 'latin1');
  return hash.digest('hex').slice(0, 24);
}

/** Replaces what differs from run to run by names. */
function lastingText(text: string, project: string, workspace: string): string {
  return text
    .replaceAll(workspace, '<folder>')
    .replaceAll(project, '<folder>')
    .replaceAll(messageFile, '<$1>')
    .replaceAll(uuid, '<id>')
    .replaceAll(date, '<date>');
}

/** Values of this run and their names; if values are equal, the earlier name wins. */
function namesIn(invocation: Invocation, messages: readonly Consumed[]): Map<string, string> {
  const names = new Map<string, string>();
  const name = (value: string | undefined, what: string) => {
    if (value !== undefined && value.length > 1 && !names.has(value)) names.set(value, `{{${what}}}`);
  };
  // A literal pair of braces must not look like a name.
  name('{{', 'braces');
  name(invocation.paths.outbox, 'outbox');
  name(invocation.project, 'project');
  name(invocation.workspace, 'workspace');
  name(invocation.thread, 'thread');
  messages.forEach(({ text }, index) => {
    for (const key of ['id', 'in_reply_to', 'created'])
      name(headOf(text, key), `message.${index + 1}.${key}`);
  });
  const others = (invocation.prompt.match(uuid) ?? []).filter((id) => !names.has(id));
  [...new Set(others)].forEach((id, index) => name(id, `prompt.${index + 1}`));
  return names;
}

/** The value of a simple key of the front matter. */
function headOf(text: string, key: string): string | undefined {
  const end = text.indexOf('\n---', 3);
  return new RegExp(`^${key}: *["']?([^"'\\n]+?)["']? *$`, 'm').exec(text.slice(0, Math.max(end, 0)))?.[1];
}

/** Replaces all values at once, longer ones first, so that no name is replaced again. */
function nameAll(text: string, names: ReadonlyMap<string, string>): string {
  const values = [...names.keys()].toSorted((left, right) => right.length - left.length);
  const pattern = values.map((value) => value.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('|');
  return text.replaceAll(new RegExp(pattern, 'g'), (value) => names.get(value) ?? value);
}
