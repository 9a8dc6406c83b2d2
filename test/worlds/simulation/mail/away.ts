import type { Disk } from '../../../../src/disk/disk.ts';
import type { Runner, RunnerEvents } from '../../../../src/host/runner/runner.ts';
import type { Protocol } from '../../../../src/mail/format/protocol.ts';
import type { MailEvent } from '../../../../src/mail/machine/event.ts';
import type { TurnsAway } from '../../../../src/project/definition/hooks.ts';
import type { MemoryDisk, Operation } from '../../../support/memory-disk.ts';
import { ofExtensions } from '../../../support/of-extensions.ts';
import type { Random } from '../random.ts';
import type { Timeline } from '../timeline.ts';
import type { Script } from './scripted-runner.ts';
import type { VirtualWork } from './virtual-work.ts';

/** A program that may be dead, or suspended. */
export interface Asker {
  /** The host that it runs on. */
  readonly host: string;
  readonly alive: boolean;
  /** Comes to nothing once it is dead, and waits while it is suspended. */
  later(after: number, act: () => void): void;
}

/** The hosts of a world besides that of the controller, which outlive controllers. */
export interface Away {
  start(): void;
  /** What happens to hosts and networks; afterwards somebody repairs it. */
  strain(): void;
  /** Every host works, and reaches every other. */
  calm(): void;
  /** What was launched anywhere, as `turn/attempt/round`. */
  launches(): string[];
  /** What must hold when everything rests. */
  check(events: readonly MailEvent[], disk: Disk): string[];
  /** The disk of the controller changes. */
  changes(operation: Operation): void;
  /** The runner of a controller. */
  turns(asker: Asker, parts: { readonly local: Runner; readonly events: RunnerEvents }): TurnsAway;
}

export interface AwayWorld {
  readonly protocol: Protocol;
  readonly timeline: Timeline;
  readonly random: Random;
  readonly work: VirtualWork;
  /** Of the controller. */
  readonly disk: MemoryDisk;
  readonly isSlow: boolean;
  /** What agents do that write to this disk. */
  readonly scriptOf: (disk: MemoryDisk) => Script;
  /** The controller's program ends here. */
  readonly kill: () => void;
}

type OpenAway = (world: AwayWorld) => Away;

const [found] = (await ofExtensions<{ readonly openAway: OpenAway }>('simulation/hosts.ts')).values();

/** Null: no extension has other hosts. */
export const openAway: OpenAway | null = found?.openAway ?? null;
