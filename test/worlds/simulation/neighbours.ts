import { SharedSlots, type SlotUser } from '../../../src/host/slots.ts';
import { noAgents, type OtherAgents } from '../../../src/kernel/why.ts';
import type { Slots } from '../../../src/workflow/machine/decide/context.ts';
import type { Random } from './random.ts';

/** Others in the process of a host, whose agents take slots that the host may want. */
export class Neighbours {
  readonly #limit: number;
  readonly #random: Random;
  readonly #slots: SharedSlots;
  readonly #own: SlotUser;
  #host: SlotUser | null = null;
  #agents: OtherAgents = noAgents;

  constructor(limit: number, random: Random) {
    this.#limit = limit;
    this.#random = random;
    this.#slots = new SharedSlots(limit);
    this.#own = this.#slots.join('neighbours', () => {});
  }

  /** A host comes; one that was here before is gone. */
  join(wake: () => void): SlotUser {
    this.#host?.leave();
    this.#host = this.#slots.join('host', wake);
    return this.#host;
  }

  /** The agents of the others, as `why` is given them. */
  get agents(): OtherAgents {
    return this.#agents;
  }

  /** What they leave to the host. */
  get left(): Slots {
    return { agents: this.#limit - this.#agents.agents, processes: Infinity };
  }

  /** Now and then they take free slots, or give some back. */
  change(now: number): void {
    if (!this.#random.chance(0.05)) return;
    this.#use(Math.min(this.#random.below(this.#limit + 1), this.#own.allowance()), now);
  }

  /** Their agents end. */
  end(): void {
    this.#use(0, 0);
  }

  #use(agents: number, at: number): void {
    this.#agents = agents === 0 ? noAgents : { agents, first: { record: 'neighbour', at } };
    this.#own.uses(agents, this.#agents.first);
  }
}
