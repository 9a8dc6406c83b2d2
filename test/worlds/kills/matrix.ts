import { probeContainment } from '../../../src/process/sandbox/containment.ts';
import type { Ran } from '../../support/project.ts';
import type { Effect } from './effects.ts';
import type { ContainmentName, Kill, Subject } from './order.ts';
import type { Place } from './place.ts';

/** One kind of work that the program is killed in. */
export interface Kind {
  readonly name: string;
  /** What is under way, in words for the report. */
  readonly what: string;
  /** Where the program is killed before the start that matters, which so is recovery; the one after that is killed there too. */
  readonly first?: Kill;
  /** True: its workers give commands to the program, which a sandbox keeps from them. */
  readonly commands?: boolean;
  /** True: its workers note what they did outside of their worktrees, which a sandbox forbids. */
  readonly outside?: boolean;
}

/** Where a matrix is written down for people. */
export interface Page {
  readonly file: URL;
  readonly head: string;
}

/** What is killed, where, in what work, and what must hold then. */
export interface Matrix<K extends Kind = Kind> {
  readonly subject: Subject;
  readonly page: Page;
  /** Every way in which the program changes something outside itself. The list is closed: anything else is an error. */
  readonly effects: Readonly<Record<string, Effect>>;
  readonly kinds: readonly K[];
  /** Makes what lies in a project before the work is given; done once for many. */
  readonly found: (kind: K, place: Place) => Promise<void> | void;
  /** Gives the work. */
  readonly plant: (kind: K, place: Place) => Promise<void> | void;
  /** How the program is started: for the first time, and to go on. */
  readonly argv: (kind: K, place: Place) => readonly string[];
  /** Lets the program come to rest with `run`, and says what is wrong then. */
  readonly settle: (kind: K, place: Place, run: () => Promise<Ran>) => Promise<string[]>;
}

/** A crash: where, in what work. */
export interface Crash<K extends Kind = Kind> {
  readonly kind: K;
  readonly containment: ContainmentName;
  readonly kill: Kill;
  readonly powerLoss: boolean;
}

/** The kinds of containment that this machine has. */
export async function containmentsHere(): Promise<ContainmentName[]> {
  const { namespace, bubblewrap } = await probeContainment();
  return [
    ...(namespace.works ? (['namespace'] as const) : []),
    'group',
    ...(bubblewrap.works ? (['bubblewrap'] as const) : []),
  ];
}

/** The places that some kind of work must come to. */
export function expected(
  { effects }: Pick<Matrix, 'effects'>,
  containments: readonly ContainmentName[],
): string[] {
  const sandboxes = containments.includes('bubblewrap');
  return Object.entries(effects).flatMap(([name, { sandboxed }]) => (sandboxed && !sandboxes ? [] : [name]));
}

/** Those of them in which this work is possible. */
export function containmentsOf(kind: Kind, all: readonly ContainmentName[]): readonly ContainmentName[] {
  return kind.commands || kind.outside ? all.filter((name) => name !== 'bubblewrap') : all;
}

export function describeCrash({ kind, containment, kill, powerLoss }: Crash): string {
  const place = `${kill.moment} ${kill.name} #${String(kill.nth)}`;
  return `${kind.name}, ${containment}: killed ${place}${powerLoss ? ', power lost' : ''}`;
}
