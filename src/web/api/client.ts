import { hearTime } from '../state/clock.ts';
import { saved, type Saved } from '../state/saved.ts';
import { forgetKey, key } from '../state/session.ts';

/** A failed request. `code` is one of docs/errors.md, or `E_OFFLINE` when no server answered. */
export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  readonly hint: string | null;
  /** Each problem of the request; empty: the message is the only one. */
  readonly details: readonly string[];

  constructor(
    code: string,
    status: number,
    message: string,
    hint: string | null = null,
    details: readonly string[] = [],
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.hint = hint;
    this.details = details;
  }
}

/** The start of every path of the API. */
const base = '/api/v1';

export interface Fetched<T> {
  /** Null: it has not changed since the given tag. */
  readonly document: T | null;
  readonly tag: string | null;
}

/** Reads a document. Throws a `Problem`. */
export async function read<T>(path: string, tag: string | null = null): Promise<Fetched<T>> {
  if (saved !== null) return { document: savedDocument(saved, path) as T, tag: null };
  const response = await request('GET', path, { headers: tag === null ? {} : { 'If-None-Match': tag } });
  if (response.status === 304) return { document: null, tag };
  const document = (await response.json()) as T;
  return { document, tag: response.headers.get('ETag') };
}

/** Reads plain text. Throws a `Problem`. */
export async function readText(path: string): Promise<string> {
  if (saved !== null) return saved.texts[path] ?? '';
  const response = await request('GET', path, { headers: { Accept: 'text/plain' } });
  return await response.text();
}

/** Lets the browser save a file of the API, by its whole address. Throws a `Problem`. */
export async function saveFile(address: string, name: string): Promise<void> {
  const response = await request('GET', address.replace(base, ''), {});
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(await response.blob());
  anchor.download = name.split('/').at(-1) ?? '';
  anchor.click();
  URL.revokeObjectURL(anchor.href);
}

function savedDocument({ documents }: Saved, path: string): unknown {
  if (Object.hasOwn(documents, path)) return documents[path];
  throw new Problem('E_TARGET', 404, 'this file does not have that', 'open the page of the project');
}

/** Where the key of a request is kept whose answer has not arrived. */
const unanswered = 'mailroom.unanswered.';

/**
 * Sends a command. The same command sent again after its answer was lost has the same key, so that
 * it takes effect once. Throws a `Problem`.
 */
export async function send<T>(path: string, content: object): Promise<T> {
  const body = JSON.stringify(content);
  const place = `${unanswered}${path} ${body}`;
  const once = sessionStorage.getItem(place) ?? crypto.randomUUID();
  sessionStorage.setItem(place, once);
  try {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': once };
    const response = await request('POST', path, { headers, body });
    sessionStorage.removeItem(place);
    return (await response.json()) as T;
  } catch (error) {
    if (error instanceof Problem && error.status !== 0) sessionStorage.removeItem(place);
    throw error;
  }
}

/**
 * Asks with content, or replaces what is stored: harmless when it is repeated. Throws a `Problem`,
 * and the reason of the signal when it was aborted.
 */
export async function ask<T>(
  method: 'POST' | 'PUT',
  path: string,
  content: object,
  options: { readonly tag?: string; readonly signal?: AbortSignal } = {},
): Promise<T> {
  const { tag, signal } = options;
  const response = await request(method, path, {
    headers: { 'Content-Type': 'application/json', ...(tag !== undefined && { 'If-Match': tag }) },
    body: JSON.stringify(content),
    ...(signal !== undefined && { signal }),
  });
  return (await response.json()) as T;
}

/** Opens the stream of changes. Throws a `Problem`. */
export async function openStream(lastEvent: string | null, signal: AbortSignal): Promise<Response> {
  const resume: Record<string, string> = lastEvent === null ? {} : { 'Last-Event-ID': lastEvent };
  return await request('GET', '/events', { headers: { Accept: 'text/event-stream', ...resume }, signal });
}

async function request(method: string, path: string, options: RequestInit): Promise<Response> {
  const headers = {
    ...(options.headers as Record<string, string>),
    Authorization: `Bearer ${key.value ?? ''}`,
  };
  let response: Response;
  try {
    response = await fetch(`${base}${path}`, { ...options, method, headers, cache: 'no-store' });
  } catch (error) {
    if (options.signal?.aborted === true) throw error;
    throw new Problem('E_OFFLINE', 0, 'the server does not answer', 'start it again with `mailroom serve`');
  }
  hearTime(response.headers.get('Date'));
  if (response.ok || response.status === 304) return response;
  const problem = await problemOf(response);
  if (response.status === 401) forgetKey();
  throw problem;
}

/** RFC 9457, with our code. */
interface ProblemDocument {
  readonly code?: string;
  readonly title?: string;
  readonly detail?: string;
  readonly hint?: string | null;
  readonly errors?: readonly { readonly message?: string }[];
}

async function problemOf(response: Response): Promise<Problem> {
  const fallback = `the server answered ${String(response.status)}`;
  try {
    const { code = 'E_INTERNAL', title, detail, hint, errors } = (await response.json()) as ProblemDocument;
    const first = detail ?? title ?? errors?.[0]?.message ?? fallback;
    const details = (errors ?? []).flatMap(({ message }) => message ?? []);
    return new Problem(code, response.status, first, hint ?? null, details);
  } catch {
    return new Problem('E_INTERNAL', response.status, fallback);
  }
}

/** A path of the API with a part that may hold any character. */
export function at(...parts: readonly string[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

/** The path of a part of a list; an empty value restricts nothing. */
export function listPath(list: string, of: Readonly<Record<string, string | number>>): string {
  const given = Object.entries(of).filter(([, value]) => value !== '');
  return `/${list}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

export function threadsPath(of: Readonly<Record<string, string | number>>): string {
  return listPath('threads', of);
}
