import type * as z from 'zod';
import { readExactJson, syntaxProblem, type Json } from '../../kernel/json.ts';
import { ownValue } from '../../kernel/own.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { Refusal } from './problem.ts';

/** Reads a request's JSON of at most this many bytes. Throws a refusal that names the place. */
export async function readBody(request: Request, mostBytes: number): Promise<Json> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(?:;\s*charset=utf-8\s*)?$/i.test(type))
    throw new Refusal(415, 'E_USAGE', 'send JSON, with `Content-Type: application/json`');
  const text = await readText(request, mostBytes);
  const read = readExactJson(text);
  if (!read.ok)
    throw new Refusal(400, 'E_USAGE', (syntaxProblem(text) ?? read.problem).replace(/^it/, 'the body'));
  if (namesPrototype(read.value)) throw new Refusal(400, 'E_USAGE', 'the key `__proto__` is not allowed');
  return read.value;
}

function namesPrototype(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(namesPrototype);
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

/** The value as a schema reads it. Throws 400 for an unknown key, else 422. */
export function parsed<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const { issues } = read.error;
  // An unknown key is often the misspelt one that is missing.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (issue?.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys;
    const hint = didYouMean(name, knownKeys(schema));
    throw new Refusal(400, 'E_UNKNOWN_KEY', `${what} has no key \`${name}\``, { hint });
  }
  const path = issue?.path.join('.') ?? '';
  const subject = path === '' ? what : `\`${path}\``;
  throw new Refusal(422, 'E_VALUE', `${subject}: ${issue ? inWords(issue, value) : 'the value is wrong'}`);
}

/** What is expected, without the words of a library. */
function inWords(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'invalid_value') return `expected one of ${issue.values.map(String).join(', ')}`;
  if (issue.code !== 'invalid_type') return issue.message;
  const isMissing = issue.path.reduce<unknown>(at, value) === undefined;
  return isMissing ? 'it is missing' : `expected ${ownValue(kinds, issue.expected) ?? issue.expected}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

function at(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? value[key as keyof typeof value]
    : undefined;
}

function knownKeys(schema: z.ZodType): string[] {
  return 'shape' in schema ? Object.keys(schema.shape as object) : [];
}
