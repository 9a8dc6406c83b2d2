import type * as z from 'zod';
import type { Json } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { Refusal } from './problem.ts';

/** The deepest nesting of lists and objects in a request. */
const mostLevels = 64;

/** Reads a request's JSON of at most this many bytes. Throws a refusal that names the place. */
export async function readBody(request: Request, mostBytes: number): Promise<Json> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(?:;\s*charset=utf-8\s*)?$/i.test(type))
    throw new Refusal(415, 'E_USAGE', 'send JSON, with `Content-Type: application/json`');
  const text = await readText(request, mostBytes);
  return parseStrictly(text);
}

async function readText(request: Request, mostBytes: number): Promise<string> {
  const tooLarge = () => new Refusal(413, 'E_FILE', `a body has at most ${String(mostBytes)} bytes here`);
  if (Number(request.headers.get('content-length') ?? 0) > mostBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > mostBytes) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new Refusal(400, 'E_USAGE', 'the body is not UTF-8');
  }
}

/** A JSON value without the things that two readers may understand differently. */
export function parseStrictly(text: string): Json {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    const position = /position (\d+)/.exec(String(error))?.[1];
    const at = position === undefined ? text.length : Number(position);
    throw new Refusal(400, 'E_USAGE', `the body is not JSON: line ${placeOf(text, at)}`);
  }
  const problem = ambiguity(text);
  if (problem !== null) throw new Refusal(400, 'E_USAGE', problem);
  return value;
}

function placeOf(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `${String(before.length)}, column ${String((before.at(-1) ?? '').length + 1)}`;
}

const tokens = /"(?:[^"\\]|\\.)*"(?<key>\s*:)?|[[\]{}]/g;

/** What is wrong with valid JSON: a key that occurs twice, `__proto__`, or deep nesting. */
function ambiguity(text: string): string | null {
  const open: Set<string>[] = [];
  for (const { 0: token, index, groups } of text.matchAll(tokens)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (groups?.['key'] !== undefined) {
      const name = JSON.parse(token.slice(0, token.lastIndexOf('"') + 1)) as string;
      const where = `line ${placeOf(text, index)}`;
      if (name === '__proto__') return `the key \`__proto__\` is not allowed: ${where}`;
      if (open.at(-1)?.has(name) === true) return `the key \`${name}\` occurs twice: ${where}`;
      open.at(-1)?.add(name);
    }
    if (open.length > mostLevels) return `the body is nested more than ${String(mostLevels)} levels deep`;
  }
  return null;
}

/** The value as a schema reads it. Throws 400 for an unknown key, else 422. */
export function parsed<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys;
    const hint = didYouMean(name, knownKeys(schema));
    throw new Refusal(400, 'E_UNKNOWN_KEY', `${what} has no key \`${name}\``, { hint });
  }
  const path = issue?.path.join('.') ?? '';
  const subject = path === '' ? what : `\`${path}\``;
  throw new Refusal(422, 'E_VALUE', `${subject}: ${issue?.message ?? 'the value is wrong'}`);
}

function knownKeys(schema: z.ZodType): string[] {
  return 'shape' in schema ? Object.keys(schema.shape as object) : [];
}
