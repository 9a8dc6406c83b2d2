import { iso } from '../../kernel/times.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Dropped } from '../format/boxes.ts';
import type { Protocol } from '../format/protocol.ts';
import type { MailLedger } from './ledger.ts';
import { notifyOnce } from './refused-files.ts';

const hour = 3_600_000;
/** A file may be complete only some time after the agent that wrote it has ended. */
const recently = 60_000;

/**
 * Bounds the tasks that appear as files in an inbox while agents run. Without a sandbox an agent
 * can write such a file; each opens a thread, so that no limit of a thread would end that loop.
 */
export class NewTasks {
  readonly #ledger: MailLedger;
  readonly #most: number;
  /** When the latest of each role were accepted, the oldest first. */
  readonly #times = new Map<RoleName, number[]>();
  /** By role, the first file that waits: why, in words, and until when. */
  readonly #waiting = new Map<RoleName, { readonly why: string; readonly until: number }>();
  /** When a turn was open last. */
  #agentsRan = -Infinity;

  constructor(ledger: MailLedger, { limits }: Pick<Protocol, 'limits'>) {
    this.#ledger = ledger;
    this.#most = limits.tasksPerHour;
  }

  /** Why files wait now, in words. */
  get waits(): readonly string[] {
    const now = this.#ledger.now();
    return [...this.#waiting.values()].flatMap(({ why, until }) => (now < until ? [why] : []));
  }

  /** Call it at each look. */
  look(): void {
    if (this.#ledger.state.turns.size > 0) this.#agentsRan = this.#ledger.now();
  }

  /** Counts a file, or returns until when it must wait: a time of the wall clock. */
  admit({ role, name }: Pick<Dropped, 'role' | 'name'>): number | null {
    const now = this.#ledger.now();
    const times = this.#times.get(role) ?? [];
    const first = times.at(-this.#most);
    if (first === undefined || first + hour <= now) {
      const isCounted = now - this.#agentsRan <= recently;
      if (isCounted) this.#times.set(role, [...times, now].slice(-this.#most));
      return null;
    }
    notifyOnce(this.#ledger, ['new-tasks', role, String(first)], `Too many new tasks for ${role}`, [
      `The inbox of ${role} got ${String(this.#most)} files within an hour while agents ran.`,
      `Further ones wait there, the first of them as ${JSON.stringify(name.slice(0, 200))}.`,
      '',
      'If agents write them, this may be a loop: `mailroom pause` stops it, `mailroom trail` shows it.',
      'If you write them, set `limits: { tasks_per_hour: … }` in the protocol or in mailroom.yaml.',
    ]);
    const until = this.#ledger.onWall(first + hour);
    const limit = `\`limits.tasks_per_hour\` is ${String(this.#most)}`;
    const why = `files in agents/${role}/inbox wait until ${iso(until)}, as ${limit}`;
    this.#waiting.set(role, { why, until: first + hour });
    return until;
  }
}
