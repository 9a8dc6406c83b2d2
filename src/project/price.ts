import { costOf, priceOf } from '../kernel/price.ts';
import { pricesOf } from '../providers/index.ts';
import { originOf } from '../providers/overhead.ts';
import type { Definition } from './definition/definition.ts';
import { overheadsOf } from './definition/overheads.ts';

/** What the first call of a turn costs before the role's own prompt. */
export interface RolePrice {
  readonly role: string;
  readonly provider: string;
  /** Of the role, else the one that `doctor --probe` has met; null: unknown. */
  readonly model: string | null;
  /** That each call reads besides the prompt; null: unknown. */
  readonly tokens: number | null;
  /** Where that is known from, such as `proved with 2.1.330, 2026-11-29`. */
  readonly from: string | null;
  /** Dollars by list price, written to the vendor's cache; null: unknown. */
  readonly usd: number | null;
}

/** Of each role that is not a person, in the order of the protocol. */
export function rolePrices(
  { protocol, config }: Pick<Definition, 'protocol' | 'config'>,
  environment: Readonly<Record<string, string | undefined>>,
): RolePrice[] {
  const overheadOf = overheadsOf(config, environment);
  const list = pricesOf(config.prices);
  return [...protocol.roles.values()]
    .filter(({ provider }) => provider !== 'human')
    .map(({ name: role, provider, model: wanted }) => {
      const overhead = overheadOf(provider);
      const model = wanted ?? overhead?.model ?? null;
      const price = config.providers.get(provider)?.prices ?? priceOf(list, model);
      const tokens = overhead?.tokens ?? null;
      const count = { input: 0, cached: 0, written: tokens ?? 0, output: 0 };
      const usd = price === null || tokens === null ? null : costOf(count, price);
      return { role, provider, model, tokens, from: overhead && originOf(overhead), usd };
    });
}
