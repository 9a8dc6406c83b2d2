import type { Disk } from '../disk/disk.ts';
import { type Config, kindOf } from '../config/config.ts';
import type { Parked } from '../kernel/usage-limits.ts';
import { readParked, park } from './parked.ts';

/** Rate-limited providers, and until when; shared by all hosts of a project. */
export interface Parking {
  list(): ReadonlyMap<string, number>;
  park(provider: string, until: number): void;
}

interface ParkingLedger {
  readonly state: { readonly parked: ReadonlyMap<string, number> };
  now(): number;
  record(facts: readonly Parked[]): void;
}

/** Shares providers' usage limits between one host and all others. */
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

/**
 * The rate-limited providers, for all hosts of the project. A recording in a provider's place
 * neither causes nor observes a limit.
 */
export function parkingOf(disk: Disk, config: Config): Parking {
  const asks = (provider: string) => kindOf(config, provider) !== 'replay';
  return {
    list: () => new Map([...readParked(disk)].filter(([provider]) => asks(provider))),
    park: (provider, until) => {
      if (asks(provider)) park(disk, provider, until);
    },
  };
}
