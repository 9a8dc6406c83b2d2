import type { Journal } from '../disk/journal.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Provider } from '../providers/provider.ts';
import type { Control } from './control.ts';
import type { Parking } from './parking.ts';

/** What every host depends on, besides what it hosts. */
export interface HostPorts<Event, Runner> {
  readonly clock: Clock;
  readonly journal: Journal<Event>;
  readonly control: Control;
  readonly runner: Runner;
  readonly providers: ReadonlyMap<string, Provider>;
  /**
   * Rate-limited providers, shared by all hosts of the project: until when, in milliseconds since
   * 1970.
   */
  readonly parking: Parking;
  /** The absolute path of the project. */
  readonly project: string;
}
