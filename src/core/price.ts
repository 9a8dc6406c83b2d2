/** Dollars for a million tokens. */
export interface Price {
  readonly input: number;
  /** Of input that the vendor had kept from an earlier request. */
  readonly cached: number;
  readonly output: number;
}

/** What was used, by what it costs: `cached` is not in `input`; what a model thought is in `output`. */
export interface TokenCount {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

/** Prices by the name of a model, or the beginning of one. */
export type PriceList = ReadonlyMap<string, Price>;

export function costOf(count: TokenCount, price: Price): number {
  return (count.input * price.input + count.cached * price.cached + count.output * price.output) / 1e6;
}

/** The most that so many tokens can cost. */
export function atMost(tokens: number, price: Price): number {
  return (tokens * Math.max(price.input, price.cached, price.output)) / 1e6;
}

/**
 * The price of a model: of the longest name in the list that it begins with. What stands before it is a way to it
 * (`openrouter/openai/gpt-5`, `eu.anthropic.claude-opus-5`), what follows may be a date or a variant (`-2026-04-01`, `-preview`)
 * and must not be another version: `gpt-5` says nothing of `gpt-5.9`, nor `claude-opus-4` of `claude-opus-4-9`.
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

/** A vendor in front of the name: `anthropic.`, `eu.anthropic.`. */
const vendor = /^(?:[a-z]+(?:-[a-z]+)*\.)+/;
const otherVersion = /^(?:[\da-z.]|-\d{1,3}(?!\d))/;

function begins(name: string, key: string): boolean {
  return [name, name.replace(vendor, '')].some(
    (each) => each.startsWith(key) && !otherVersion.test(each.slice(key.length)),
  );
}
