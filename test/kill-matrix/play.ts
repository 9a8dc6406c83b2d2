import { parseConfig } from '../../src/spec/config.ts';
import { parseProtocol } from '../../src/spec/protocol.ts';
import type { Protocol } from '../../src/core/mail/protocol.ts';
import type { Ran } from '../support/project.ts';
import { checkPlace } from './check.ts';
import { found, freshLead, plantFresh, type Kind } from './kinds.ts';
import type { Census, ContainmentName, Kill, LeftOut } from './order.ts';
import { Place } from './place.ts';
import type { Program } from './program.ts';

/** One run of the matrix: work of a kind, a crash, a restart. */
export interface Run {
  readonly kind: Kind;
  readonly containment: ContainmentName;
  readonly kill: Kill;
  readonly powerLoss: boolean;
  readonly leftOut?: LeftOut;
}

/** `unreached`: the controller came to its end before the place where it was to be killed. */
export interface Result {
  readonly problems: readonly string[];
  readonly unreached: boolean;
}

/** Plays runs, each on a copy of its kind's project. */
export class Stage {
  readonly #program: Program;
  readonly #templates = new Map<string, Promise<Place>>();

  constructor(program: Program) {
    this.#program = program;
  }

  /** A place with the work of a kind in it. */
  async open(kind: Kind, containment: ContainmentName): Promise<Place> {
    const key = `${kind.name} ${containment}`;
    const template = this.#templates.get(key) ?? this.#make(kind, containment);
    this.#templates.set(key, template);
    const place = new Place(this.#program, containment, (await template).folder);
    kind.plant(place);
    return place;
  }

  async #make(kind: Kind, containment: ContainmentName): Promise<Place> {
    const place = new Place(this.#program, containment);
    await found(kind, place);
    return place;
  }

  /** What a controller does outside when nobody kills it: in this kind of work, or when it recovers from that. */
  async census(kind: Kind, containment: ContainmentName): Promise<Census> {
    const place = await this.open(kind, containment);
    try {
      if (kind.first) await place.run({ kill: kind.first });
      const ran = await place.run({ kill: null });
      const told = place.told().at(-1);
      if (told?.is !== 'ended' || (ran.code !== 0 && ran.code !== 1))
        throw new Error(`${kind.name} fails in ${containment} without a crash: ${ran.stderr}`);
      return told.census;
    } finally {
      place.discard();
    }
  }

  /** Kills a controller where the run says (in recovery the one after it as well), starts again, and checks. */
  async play({ kind, containment, kill, powerLoss, leftOut }: Run): Promise<Result> {
    const place = await this.open(kind, containment);
    try {
      const start = { powerLoss, leftOut: leftOut ?? null };
      // What that one leaves is what the next must recover from: the power stays on.
      if (kind.first) await place.run({ ...start, kill: kind.first, powerLoss: false });
      const before = place.told().length;
      await place.run({ kill, ...start });
      const unreached = place
        .told()
        .slice(before)
        .every(({ is }) => is !== 'killed');
      if (kind.first) await place.run({ kill, ...start });
      return { problems: await this.settle(place, kind, leftOut ?? null), unreached };
    } finally {
      place.discard();
    }
  }

  /** Starts for good, with something new to do, and says what is wrong then. */
  async settle(place: Place, kind: Kind, leftOut: LeftOut | null): Promise<string[]> {
    kind.later?.(place);
    plantFresh(place);
    return settled(place, kind, await place.run({ kill: null, leftOut }));
  }

  async close(): Promise<void> {
    for (const template of this.#templates.values()) (await template).discard();
  }
}

function settled(place: Place, kind: Kind, ran: Ran): string[] {
  const idle = /"idle": "(\w+)"/.exec(ran.stdout)?.[1] ?? 'unknown';
  const rests = (ran.code === 0 || ran.code === 1) && (idle === 'done' || idle === 'waiting_for_user');
  const problems = rests ? [] : [`it does not come to rest (${idle}): ${ran.stderr.slice(0, 2_000)}`];
  return [
    ...problems,
    ...checkPlace(place, protocolOf(place), [...kind.leads, freshLead], kind.git === true),
  ];
}

const protocols = new Map<string, Protocol>();

/** The protocol of a place, read as the program reads it. */
function protocolOf(place: Place): Protocol {
  const text = place.read('protocols/team.yaml');
  const known = protocols.get(text);
  if (known) return known;
  const config = parseConfig(place.read('mailroom.yaml'), 'mailroom.yaml');
  if (!config.ok) throw new Error('mailroom.yaml of the kill matrix is wrong');
  const read = parseProtocol([{ file: 'protocols/team.yaml', text }], config.value);
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  protocols.set(text, read.value);
  return read.value;
}
