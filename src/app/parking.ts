import type { Config } from '../core/config.ts';
import type { HostPorts } from '../engine/ports.ts';
import { park, readParked } from '../store/parked.ts';
import type { RealDisk } from '../store/real-disk.ts';
import { kindOf } from './containment.ts';

/** The providers that rest, for all hosts of the project. A recording in a provider's place neither rests nor lets it. */
export function parkingOf(disk: RealDisk, config: Config): HostPorts['parking'] {
  const asks = (provider: string) => kindOf(config, provider) !== 'replay';
  return {
    list: () => new Map([...readParked(disk)].filter(([provider]) => asks(provider))),
    park: (provider, until) => {
      if (asks(provider)) park(disk, provider, until);
    },
  };
}
