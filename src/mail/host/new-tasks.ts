import { iso } from '../../kernel/times.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Dropped } from '../format/boxes.ts';
import type { Protocol } from '../format/protocol.ts';
import { waitsUntil } from '../machine/fold/new-tasks.ts';
import type { MailLedger } from './ledger.ts';
import { notifyOnce } from './notices.ts';

/**
 * Bounds the tasks that appear as files in an inbox while agents run. Without a sandbox an agent
 * can write such a file; each opens a thread, so that no limit of a thread would end that loop.
 */
export class NewTasks {
  readonly #ledger: MailLedger;
  readonly #most: number;
  /** By role, how many of its files were accepted since `recorded`. */
  readonly #uncounted = new Map<RoleName, number>();
  /** By role, why files wait, in words, and until when, also by the wall clock. */
  readonly #waiting = new Map<
    RoleName,
    { readonly why: string; readonly until: number; readonly wall: number }
  >();

  constructor(ledger: MailLedger, { limits }: Pick<Protocol, 'limits'>) {
    this.#ledger = ledger;
    this.#most = limits.tasksPerHour;
  }

  /** Why files wait now, in words. */
  get waits(): readonly string[] {
    const now = this.#ledger.now();
    return [...this.#waiting.values()].flatMap(({ why, until }) => (now < until ? [why] : []));
  }

  /** Call it with each file that is accepted from an inbox. */
  accepted({ role }: Pick<Dropped, 'role'>): void {
    this.#uncounted.set(role, (this.#uncounted.get(role) ?? 0) + 1);
  }

  /** Call it when every accepted file is recorded. */
  recorded(): void {
    this.#uncounted.clear();
  }

  /** Null: the file may be accepted. Else until when it must wait: a time of the wall clock. */
  admit({ role, name }: Pick<Dropped, 'role' | 'name'>): number | null {
    const now = this.#ledger.now();
    const uncounted = this.#uncounted.get(role) ?? 0;
    const until = waitsUntil(this.#ledger.state, role, now, { most: this.#most, uncounted });
    if (until === null || until === Infinity) return until;
    this.#hold(role, name, until);
    return this.#ledger.onWall(until);
  }

  #hold(role: RoleName, name: string, until: number): void {
    notifyOnce(this.#ledger, ['new-tasks', role, String(until)], `Too many new tasks for ${role}`, [
      `The inbox of ${role} got ${String(this.#most)} files within an hour while agents ran.`,
      `Further ones wait there, the first of them as ${JSON.stringify(name.slice(0, 200))}.`,
      '',
      'If agents write them, this may be a loop: `mailroom pause` stops it, `mailroom trail` shows it.',
      'If you write them, set `limits: { tasks_per_hour: … }` in the protocol or in mailroom.yaml.',
    ]);
    const wall = this.#ledger.onWall(until);
    // Milliseconds more or less, from one clock to the other, are no news.
    if (Math.abs((this.#waiting.get(role)?.wall ?? 0) - wall) < 1_000) return;
    const limit = `\`limits.tasks_per_hour\` is ${String(this.#most)}`;
    const why = `files in agents/${role}/inbox wait until ${iso(wall)}, as ${limit}`;
    this.#waiting.set(role, { why, until, wall });
  }
}
