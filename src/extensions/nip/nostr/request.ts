import { parseExactJson, type Json } from '../../../kernel/json.ts';
import type { ValueType } from '../../../workflow/model.ts';
import { fillParameters } from '../../../workflow/machine/parameters.ts';
import { kinds, tagOf, type NostrEvent } from '../letters/nostr-event.ts';

/** A run requested by an event. */
export interface AskedRun {
  /** The id of the event that defines the workflow. */
  readonly definition: string;
  /** The run's name in the request. */
  readonly execution: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Null: unlimited. */
  readonly msats: number | null;
  /** Milliseconds; null: the project's limit. */
  readonly timeout: number | null;
}

type ReadAsked =
  { readonly ok: true; readonly value: AskedRun } | { readonly ok: false; readonly problem: string };

const wholeNumber = /^(?:0|[1-9]\d{0,15})$/;
const longest = 31_536_000;

/**
 * The request in an event. Does not check its authenticity. `most`: the maximum amount, and the
 * default; null: any amount.
 */
export function readAsked(event: NostrEvent, most: number | null = null): ReadAsked {
  const no = (problem: string): ReadAsked => ({ ok: false, problem });
  if (event.kind !== kinds.request)
    return no(
      `it is an event of kind ${String(event.kind)}, and a request is one of kind ${String(kinds.request)}`,
    );
  const definition = tagOf(event, 'e', 'workflow');
  if (definition === null) return no('it names no workflow: ["e", "<id>", "", "workflow"]');
  const execution = tagOf(event, 'd') ?? '';
  if (execution === '' || execution.length > 200) return no('it has no id for the run: ["d", "<id>"]');
  const bid = tagOf(event, 'bid');
  const msats = bid === null ? most : amount(bid, Number.MAX_SAFE_INTEGER);
  if (msats === undefined)
    return no(
      `\`${bid ?? ''}\` is not a valid budget: a whole number of msats, at most ${String(Number.MAX_SAFE_INTEGER)}`,
    );
  if (most !== null && msats !== null && msats > most)
    return no(`its budget of ${String(msats)} msats is more than the ${String(most)} that are allowed`);
  const limit = tagOf(event, 'timeout');
  const seconds = limit === null ? null : amount(limit, longest);
  if (seconds === undefined || seconds === 0)
    return no(`\`${limit ?? ''}\` is not a timeout: seconds, from 1 to ${String(longest)}`);
  const inputs = new Map<string, Json>();
  for (const [name, key = '', text = ''] of event.tags) {
    if (name !== 'input') continue;
    const value = parseExactJson(text);
    if (inputs.has(key)) return no(`the input \`${key}\` is given twice`);
    if (value === undefined)
      return no(`the input \`${key}\` is not JSON with exact numbers: ${text.slice(0, 200)}`);
    inputs.set(key, value);
  }
  const timeout = seconds === null ? null : seconds * 1_000;
  return { ok: true, value: { definition, execution, inputs: Object.fromEntries(inputs), msats, timeout } };
}

/** The inputs of a run, checked against the workflow's declarations, without conversions. */
export function checkInputs(
  { inputs }: Pick<AskedRun, 'inputs'>,
  types: Readonly<Record<string, ValueType>>,
): { readonly values: Readonly<Record<string, Json>>; readonly problems: readonly string[] } {
  const wide = Object.entries(inputs).flatMap(([name, value]) => (isWide(value) ? name : []));
  const { values, problems } = fillParameters(types, inputs, 'input');
  const largest = String(Number.MAX_SAFE_INTEGER);
  return {
    values,
    problems: [
      ...problems,
      ...wide.map((name) => `the input \`${name}\` holds a number beyond ${largest}, which is not exact`),
    ],
  };
}

/** Whether parsing may have changed a number in it. */
function isWide(value: Json): boolean {
  if (typeof value === 'number') return !(Math.abs(value) <= Number.MAX_SAFE_INTEGER);
  return typeof value === 'object' && value !== null && Object.values(value).some((each) => isWide(each));
}

/**
 * Whether a request was followed before: the same event, or another one by the same author for the
 * same run.
 */
export function isReplayed(event: NostrEvent, followed: readonly NostrEvent[]): boolean {
  const execution = tagOf(event, 'd');
  return followed.some(
    (each) => each.id === event.id || (each.pubkey === event.pubkey && tagOf(each, 'd') === execution),
  );
}

/** The public keys that a request is addressed to; none: any service of its workflow. */
export function addressees({ tags }: Pick<NostrEvent, 'tags'>): string[] {
  return tags.flatMap(([name, key]) => (name === 'p' && key !== undefined ? key : []));
}

/**
 * Whether a relay's event shows that a request is handled: `own` has answered it, or, unless it is
 * addressed to `own`, another author works on it or is done. A refusal by another author does not
 * count. Does not check the event's authenticity.
 */
export function answersFor(request: NostrEvent, own: string, event: NostrEvent): boolean {
  if (tagOf(event, 'e') !== request.id || event.pubkey === request.pubkey) return false;
  if (event.kind !== kinds.result && event.kind !== kinds.status) return false;
  if (event.pubkey === own) return true;
  const [, , steps = '0'] = event.tags.find(([name]) => name === 'progress') ?? [];
  const isRefusal = event.kind === kinds.status && steps === '0';
  return !isRefusal && !addressees(request).includes(own);
}

function amount(text: string, most: number): number | undefined {
  return wholeNumber.test(text) && Number(text) <= most ? Number(text) : undefined;
}
