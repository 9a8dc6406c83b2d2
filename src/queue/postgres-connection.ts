import pg from 'pg';
import { messageOf } from '../kernel/errors.ts';
import { createTables } from './postgres-tables.ts';
import { unreachable } from './unreachable.ts';

/** Who wants to know what has changed: the controller, or the workers. */
export type Side = 'controller' | 'workers';

interface ConnectionOptions {
  readonly url: string;
  readonly project: string;
  readonly side: Side;
  readonly onChange: () => void;
}

/** Between two unprompted calls of `onChange`, in milliseconds. */
const every = 1_000;
/** How many questions one process asks at once. */
const mostConnections = 4;

/** The connections of a process: a few for its questions, and one that listens. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #pool: pg.Pool;
  readonly #timer: NodeJS.Timeout;
  readonly #closing = new AbortController();
  #listener: pg.Client | null = null;
  #tables: Promise<void> | null = null;
  /** Null: it can be reached, or that is not known yet. */
  #error: string | null = null;
  /** Whether a question was ever answered. */
  #wasReached = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#pool = new pg.Pool({ ...connecting(options.url), max: mostConnections });
    // A connection that was lost while it was idle is replaced when it is needed.
    this.#pool.on('error', () => {});
    this.#timer = setInterval(options.onChange, every);
    void this.#listen();
  }

  problem(): string | null {
    if (this.#error === null) return null;
    const { problem, hint } = unreachable(this.#options.url, this.#error);
    return `${problem}; ${hint}`;
  }

  /** Asks until there is an answer, so the question must do no harm when it is asked twice. */
  async ask<Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    const { rows } = await this.#untilReached(async () => {
      await this.#ready();
      return this.#pool.query<Row>(sql, [...values]);
    });
    return rows;
  }

  /** Runs a statement that returns the rows that it changes, and wakes a side if there are any. */
  async change(wakes: Side, sql: string, values: readonly unknown[]): Promise<boolean> {
    const channel = pg.escapeLiteral(channelOf(this.#options.project, wakes));
    const waking = `with changed as (${sql}) select pg_notify(${channel}, '') from changed`;
    return (await this.ask(waking, values)).length > 0;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    await Promise.allSettled([this.#listener?.end(), this.#pool.end()]);
  }

  #ready(): Promise<void> {
    this.#tables ??= createTables(this.#pool).catch((error: unknown) => {
      this.#tables = null;
      throw new Unreachable(error);
    });
    return this.#tables;
  }

  /** Listens for as long as it is open. What it misses meanwhile is seen by the timer. */
  async #listen(): Promise<void> {
    const { url, project, side, onChange } = this.#options;
    while (!this.#closing.signal.aborted) {
      const client = new pg.Client({ ...connecting(url), keepAlive: true });
      const ended = new Promise<void>((resolve) => {
        client.on('error', () => resolve());
        client.on('end', () => resolve());
      });
      client.on('notification', onChange);
      this.#listener = client;
      try {
        await client.connect();
        await client.query(`listen ${pg.escapeIdentifier(channelOf(project, side))}`);
        if (!this.#wasReached) this.#report(null);
        onChange();
        await ended;
      } catch (error) {
        // Later the questions say what is wrong.
        if (!this.#wasReached) this.#report(messageOf(error));
      }
      await client.end().catch(() => {});
      await this.#pause(1);
    }
  }

  async #untilReached<T>(act: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      if (this.#closing.signal.aborted) throw new Error('the queue is closed');
      try {
        const done = await act();
        this.#wasReached = true;
        this.#report(null);
        return done;
      } catch (error) {
        if (!isOutage(error)) throw error;
        this.#report(messageOf(error));
        await this.#pause(tries);
      }
    }
  }

  #report(error: string | null): void {
    if (error === this.#error || this.#closing.signal.aborted) return;
    this.#error = error;
    this.#options.onChange();
  }

  /** Waits a little before another try, at most until it is closed. */
  #pause(tries: number): Promise<void> {
    const { signal } = this.#closing;
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(100 * tries, 500));
      signal.addEventListener('abort', done);
      if (signal.aborted) done();
    });
  }
}

/** How long the server may take to answer before a connection is broken, in milliseconds. */
const patience = 2_000;

export function connecting(connectionString: string): pg.ClientConfig {
  return { connectionString, connectionTimeoutMillis: patience, query_timeout: patience };
}

function channelOf(project: string, side: Side): string {
  return `mailroom ${project} ${side}`;
}

/** What went wrong before any question could be asked. */
class Unreachable extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/**
 * Whether the same question may be answered later: the server said nothing, or that it cannot
 * answer now (connection, login, database, resources, operator, or a conflict).
 */
function isOutage(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return true;
  return /^(08|28|3D|53|57P|40|25006)/.test(error.code ?? '');
}
