/** Dollars per million tokens. */
interface Rates {
  readonly input: number;
  /** For input that the vendor had cached from an earlier request; missing: unknown. */
  readonly cached?: number;
  /** For input that the vendor puts into its cache, for minutes; missing: the same as `input`. */
  readonly written?: number;
  readonly output: number;
}

export interface Price extends Rates {
  /** For every token of a request with more than `above` input tokens; missing: the same rates. */
  readonly long?: Rates & { readonly above: number };
}

/** Token counts by price: `input` excludes `cached` and `written`; `output` includes reasoning. */
export interface TokenCount {
  readonly input: number;
  readonly cached: number;
  /** Missing: 0, or part of `input`. */
  readonly written?: number;
  /** Those of `written` that are kept for an hour; missing: none, or unknown. */
  readonly hourly?: number;
  readonly output: number;
}

/** Prices by the name of a model, or a prefix of it. */
export type PriceList = ReadonlyMap<string, Price>;

/**
 * The cost of a request in dollars; null: unknown. For several requests of which only the sum is
 * known, the maximum: if one of them may have been long, all count as long.
 */
export function costOf(count: TokenCount, price: Price): number | null {
  const { written: put = 0 } = count;
  const hourly = Math.min(count.hourly ?? 0, put);
  const rates = ratesOf(takenBy(count), price);
  const { input, cached, written = input, output } = rates;
  if (count.cached > 0 && cached === undefined) return null;
  const cache = count.cached * (cached ?? 0) + (put - hourly) * written + hourly * hourlyRate(rates);
  return (count.input * input + cache + count.output * output) / 1e6;
}

/** By the rule of Anthropic, the only vendor with a choice: twice the input. */
function hourlyRate({ input, written }: Rates): number {
  return written === undefined ? input : Math.max(written, 2 * input);
}

/** All tokens of the input. */
export function takenBy({ input, cached, written = 0 }: TokenCount): number {
  return input + cached + written;
}

function ratesOf(taken: number, { long, ...short }: Price): Rates {
  return long !== undefined && taken > long.above ? long : short;
}

/** The maximum cost of a number of tokens in any number of requests, in dollars. */
export function atMost(tokens: number, { long, ...short }: Price): number {
  const dear = long !== undefined && tokens > long.above ? [mostExpensive(long)] : [];
  return (tokens * Math.max(mostExpensive(short), ...dear)) / 1e6;
}

function mostExpensive(rates: Rates): number {
  return Math.max(rates.input, rates.cached ?? 0, hourlyRate(rates), rates.output);
}

/**
 * The price of a model by its name in the list. A prefix may be a route to it
 * (`openrouter/openai/gpt-5`, `eu.anthropic.claude-opus-5`), a suffix a date or a state
 * (`-2026-04-01`, `-preview`). Anything else is another model: `gpt-5` does not match `gpt-5.9` or
 * `gpt-5-pro`, nor `claude-opus-4` `claude-opus-4-9`.
 */
export function priceOf(list: PriceList, model: string | null): Price | null {
  if (model === null) return null;
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  let best: string | null = null;
  for (const key of list.keys()) {
    if (best !== null && key.length <= best.length) continue;
    if (begins(name, key.toLowerCase())) best = key;
  }
  return best === null ? null : (list.get(best) ?? null);
}

/** A vendor before the name: `anthropic.`, `eu.anthropic.`. */
const vendor = /^(?:[a-z]+(?:-[a-z]+)*\.)+/;
/**
 * Suffixes of the same model: `@20251101`, `-2026-04-01`, `-05-06`, `-04-2026`, `-001`; a preview,
 * the newest; a window of a million tokens; a cloud's version.
 */
const sameModel =
  /^(?:[-@](?:\d{8}|\d{4}-\d\d-\d\d|\d\d-\d\d(?:\d\d)?|\d{3})|-preview|-latest|-exp|-customtools|\[1m\]|-v\d+(?::\d+)?)*$/;

function begins(name: string, key: string): boolean {
  return [name, name.replace(vendor, '')].some(
    (each) => each.startsWith(key) && sameModel.test(each.slice(key.length)),
  );
}
