import { isBounded } from '../../expressions/values.ts';
import {
  isJsonObject,
  parseExactJson,
  parseJson,
  readExactJson,
  syntaxProblem,
  type JsonObject,
} from '../../kernel/json.ts';
import { ownValue } from '../../kernel/own.ts';
import type { WorkResult } from './work-result.ts';
import type { Ended } from './exits.ts';
import type { Collected, Launch, LaunchOutput } from './launch.ts';
import type { Exit, Outcome } from '../../providers/provider.ts';

/** The maximum of final text or standard output that other steps see, in bytes. */
const outputBytes = 8 * 1024;

/** The result of a process, without outputs. */
export function resultOf(
  { outcome: ended, exitCode, text, usage }: Ended,
  exit: Exit,
  outcome: Outcome | null,
): WorkResult {
  const isDone = outcome?.is === 'done' ? outcome : null;
  return {
    outcome: ended,
    exitCode,
    output: bounded(text),
    values: {},
    artifacts: [],
    usage,
    session: outcome?.session ?? null,
    model: isDone?.model ?? null,
    durationMs: exit.durationMs,
    warnings: isDone?.warnings ?? [],
    changed: null,
    commit: null,
  };
}

/** The start of a string, at most this many bytes, without a partial character; marked when cut. */
function bounded(text: string): string {
  if (text.length * 3 <= outputBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(outputBytes));
  return read < text.length ? `${text.slice(0, read)}\n[truncated]` : text;
}

/** The values of a worker: the values file, else an agent's last fenced `json` block. */
export function valuesFromText(
  launch: Launch,
  { values }: Pick<Collected, 'values'>,
  text: string,
): { readonly values: JsonObject } | { readonly unreadable: string } {
  if (values !== null) {
    if (!isJsonObject(values)) return { unreadable: 'they must be a JSON object' };
    const { unreadable } = values;
    const isProblem = Object.keys(values).length === 1 && typeof unreadable === 'string';
    return isProblem ? { unreadable } : { values };
  }
  const block = speaks(launch) ? valuesBlock(launch, text) : null;
  if (block === null) return { values: {} };
  const read = readExactJson(block.block.text);
  if (!read.ok) return { unreadable: `the last block with values: ${read.problem}` };
  return { values: isJsonObject(read.value) ? read.value : {} };
}

/** Whether the worker answers in words; of other programs only the exit code counts. */
function speaks({ work }: Launch): boolean {
  return work.kind === 'agent' || work.kind === 'role';
}

/** The worker's values, with the final text itself for the declared values that are missing. */
export function withAnswers({ values: types }: Launch, text: string, values: JsonObject): JsonObject {
  const answers = Object.keys(types).filter(
    (name) => ownValue(types, name)?.answer === true && !Object.hasOwn(values, name),
  );
  if (answers.length === 0) return values;
  // A number that parsing would change stays a string.
  const read = parseExactJson(text);
  const value = read === undefined || !isBounded(read) ? text.trimEnd() : read;
  return { ...values, ...Object.fromEntries(answers.map((name) => [name, value])) };
}

/**
 * The last fenced block with values: any object where values are declared, else only a named
 * failure.
 */
function valuesBlock(launch: Launch, text: string): { block: Fenced; value: JsonObject } | null {
  const owes = Object.values(launch.values).some(({ answer }) => answer !== true) || launch.check !== null;
  for (const block of markdownBlocks(text).toReversed()) {
    if (!/^(json\b|$)/i.test(block.info)) continue;
    const value = parseJson(block.text);
    if (isJsonObject(value) && (owes || (Object.keys(value).length === 1 && reportedError(value) !== null)))
      return { block, value };
  }
  return null;
}

/** Why an agent's last block of JSON cannot be read; null: it can, or there is none. */
export function brokenBlock(launch: Launch, text: string): string | null {
  const block = speaks(launch) ? markdownBlocks(text).findLast(({ info }) => /^json\b/i.test(info)) : null;
  return block == null ? null : syntaxProblem(block.text);
}

/** `{"error": {"code", "message"}}`: a failure that the worker named; null: there is none. */
export function reportedError({ error }: JsonObject): { code: string; message: string } | null {
  if (!isJsonObject(error)) return null;
  const { code, message } = error;
  if (typeof code !== 'string' || code === '') return null;
  return { code: code.slice(0, 200), message: typeof message === 'string' ? message.slice(0, 2_000) : '' };
}

/**
 * The declared files that an agent has not written, taken from its final text: a single missing
 * file is the text itself, several are fenced blocks headed by their path.
 */
export function outputsFromText(
  launch: Launch,
  { missing }: Collected,
  text: string,
): { readonly output: LaunchOutput; readonly text: string }[] {
  const files = missing.filter(({ path }) => !path.endsWith('/'));
  if (!speaks(launch) || files.length === 0) return [];
  const blocks = markdownBlocks(text);
  const found = files.flatMap((output) => {
    const block = blocks.find((each) => names(each, output.path));
    return block ? [{ output, text: `${block.text}\n` }] : [];
  });
  const [only] = files;
  if (found.length > 0 || files.length > 1 || only === undefined) return found;
  const values = valuesBlock(launch, text);
  const rest = (values === null ? text : withoutBlock(text, values.block)).trim();
  return rest === '' ? [] : [{ output: only, text: `${rest}\n` }];
}

/** Whether a block is headed by a path: in its info string, or in the preceding line. */
function names({ info, head }: Fenced, path: string): boolean {
  const wanted = path.replace(/^\.\//, '');
  return [...info.split(/\s+/), ...head.split(/\s+/)].some(
    (word) => word.replaceAll(/^[^\w./-]+|[^\w/-]+$/g, '').replace(/^\.\//, '') === wanted,
  );
}

/** A fenced block of Markdown. */
interface Fenced {
  /** The info string of the opening fence: `json`, `md plan.md`. */
  readonly info: string;
  /** The last non-blank line before the block. */
  readonly head: string;
  readonly text: string;
  /** Lines of the whole string, `end` exclusive. */
  readonly start: number;
  readonly end: number;
}

/** The fenced blocks of a string; an unclosed one extends to the end. Linear. */
function markdownBlocks(text: string): Fenced[] {
  const lines = text.split(/\r\n|\n|\r/);
  const found: Fenced[] = [];
  let head = '';
  for (let at = 0; at < lines.length; at += 1) {
    const [, fence, info = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(lines[at] ?? '') ?? [];
    if (fence === undefined || (fence.startsWith('`') && info.includes('`'))) {
      if ((lines[at] ?? '').trim() !== '') head = lines[at] ?? '';
      continue;
    }
    const start = at;
    for (at += 1; at < lines.length && !closes(lines[at] ?? '', fence);) at += 1;
    found.push({ info: info.trim(), head, text: lines.slice(start + 1, at).join('\n'), start, end: at + 1 });
    head = '';
  }
  return found;
}

function closes(line: string, fence: string): boolean {
  const trimmed = line.trim();
  return trimmed.length >= fence.length && trimmed === (fence[0] ?? '').repeat(trimmed.length);
}

/** A string without one of its blocks. */
function withoutBlock(text: string, { start, end }: Fenced): string {
  return text
    .split(/\r\n|\n|\r/)
    .toSpliced(start, end - start)
    .join('\n');
}
