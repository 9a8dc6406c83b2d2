import type { RealDisk } from '../disk/real-disk.ts';
import { type Config, kindOf } from '../config/config.ts';
import { readParked, park } from './parked.ts';

/** Providers that rest, until when each; as all hosts of a project know it. */
export interface Parking {
  list(): ReadonlyMap<string, number>;
  park(provider: string, until: number): void;
}

interface ParkingLedger {
  readonly state: { readonly parked: ReadonlyMap<string, number> };
  now(): number;
  record(
    facts: readonly { readonly type: 'parked'; readonly provider: string; readonly until: number }[],
  ): void;
}

/** What one host learns of a provider's limit holds for all. */
export function shareParking(ledger: ParkingLedger, parking: Parking): void {
  const now = ledger.now();
  const shared = parking.list();
  const { parked } = ledger.state;
  for (const [provider, until] of shared)
    if (until > now && until > (parked.get(provider) ?? 0))
      ledger.record([{ type: 'parked', provider, until }]);
  for (const [provider, until] of parked)
    if (until > now && until > (shared.get(provider) ?? 0)) parking.park(provider, until);
}

/** The providers that rest, for all hosts of the project. A recording in a provider's place neither rests nor lets it. */
export function parkingOf(disk: RealDisk, config: Config): Parking {
  const asks = (provider: string) => kindOf(config, provider) !== 'replay';
  return {
    list: () => new Map([...readParked(disk)].filter(([provider]) => asks(provider))),
    park: (provider, until) => {
      if (asks(provider)) park(disk, provider, until);
    },
  };
}
