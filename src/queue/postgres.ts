import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { parseJson, type Json } from '../kernel/json.ts';
import {
  mostBytes,
  type HeldJob,
  type JobName,
  type JobQueue,
  type JobSource,
  type JobState,
  type QueueAddress,
  type WorkerBoard,
} from './channel.ts';
import { Connection, connecting } from './postgres-connection.ts';
import { createTables } from './postgres-tables.ts';
import { Waking } from './waking.ts';

/*
 * The queue in PostgreSQL. It is a program of its own, which is loaded only where such a queue is
 * configured: it must share no code with the rest but types. A lease is a time of the server's
 * clock, so the clocks of the hosts do not matter; that it has passed is seen by a question, and
 * ended by none.
 */

export function openQueue(address: QueueAddress): JobQueue {
  return new SqlQueue(address);
}

export function openSource(address: QueueAddress, labels: readonly string[]): JobSource {
  return new SqlSource(address, labels);
}

export async function openBoard(url: string, project: string): Promise<WorkerBoard> {
  const client = new pg.Client(connecting(url));
  client.on('error', () => {});
  try {
    await client.connect();
    await createTables(client);
  } catch (error) {
    void client.end().catch(() => {});
    throw error;
  }
  return {
    cards: async () => {
      const sql = `select id, card, alive_until > clock_timestamp() as "isAlive" from mailroom.workers
        where project = $1 and card is not null`;
      const { rows } = await client.query<{ id: string; card: string; isAlive: boolean }>(sql, [project]);
      return rows.map(({ id, card, isAlive }) => ({ id, card: parsed(card), isAlive }));
    },
    order: async (id, order) => {
      const sql = `insert into mailroom.workers (project, id, ordered) values ($1, $2, $3)
        on conflict (project, id) do update set ordered = $3`;
      await client.query(sql, [project, id, JSON.stringify(order)]);
    },
    remove: async (id) => {
      await client.query(removal, [project, id]);
    },
    clock: async () => {
      const sql = 'select extract(epoch from clock_timestamp())::float8 as seconds';
      const { rows } = await client.query<{ seconds: number }>(sql);
      return (rows[0]?.seconds ?? 0) * 1_000;
    },
    close: () => void client.end().catch(() => {}),
  };
}

const removal = 'delete from mailroom.workers where project = $1 and id = $2';

/** Where the job of a name is: the first three values of a statement. */
const named = 'project = $1 and role = $2 and id = $3';
/**
 * Its worker, to say anything about it: also after its lease, until the controller has found the
 * job lost. `holder`: the fourth value.
 */
const held = `${named} and holder = $4`;

class SqlQueue implements JobQueue {
  readonly #connection: Connection;
  readonly #waking = new Waking();
  readonly #project: string;

  constructor({ url, name, onChange }: QueueAddress) {
    this.#project = name;
    const changed = (): void => {
      this.#waking.isRecent();
      onChange();
    };
    this.#connection = new Connection({ url, project: name, side: 'controller', onChange: changed });
  }

  problem(): string | null {
    return this.#connection.problem();
  }

  async add(name: JobName, data: Json, labels: readonly string[]): Promise<void> {
    const sql = `insert into mailroom.jobs (project, role, id, data, labels) values ($1, $2, $3, $4, $5)
      on conflict do nothing returning 1`;
    await this.#connection.change('workers', sql, [...this.#at(name), JSON.stringify(data), [...labels]]);
  }

  async look(name: JobName): Promise<JobState> {
    // Nothing is read that is too large.
    const read = (column: string) =>
      `case when octet_length(${column}) <= $4 then ${column} end as ${column}`;
    const sql = `select holder is null as waits, held_until > clock_timestamp() as runs, stopping,
      ${['note', 'granted', 'result'].map(read).join(', ')}, octet_length(result) as bytes
      from mailroom.jobs where ${named}`;
    const [job] = await this.#connection.ask<JobRow>(sql, [...this.#at(name), mostBytes]);
    if (job === undefined) return { is: 'missing' };
    const { bytes } = job;
    if (bytes !== null) return { is: 'done', result: parsed(job.result), bytes };
    if (job.waits) return { is: 'waiting' };
    const note = parsed(job.note);
    if (!job.runs && !this.#waking.isRecent() && (await this.#lose(name))) return { is: 'lost', note };
    return { is: 'running', note, stopping: job.stopping, granted: parsed(job.granted) };
  }

  /** Takes a job from a worker that has not renewed its lease. False: it has meanwhile. */
  async #lose(name: JobName): Promise<boolean> {
    const sql = `update mailroom.jobs set holder = '' where ${named} and result is null
      and holder is not null and held_until <= clock_timestamp() returning 1`;
    return (await this.#connection.ask(sql, this.#at(name))).length > 0;
  }

  async grant(name: JobName, grant: Json): Promise<void> {
    const sql = `update mailroom.jobs set granted = $4 where ${named} returning 1`;
    await this.#connection.change('workers', sql, [...this.#at(name), JSON.stringify(grant)]);
  }

  async stop(name: JobName): Promise<void> {
    const sql = `update mailroom.jobs set stopping = true where ${named} returning 1`;
    await this.#connection.change('workers', sql, this.#at(name));
  }

  async remove(name: JobName): Promise<void> {
    const sql = `delete from mailroom.jobs where ${named}
      and (holder is null or result is not null or held_until <= clock_timestamp()) returning 1`;
    await this.#connection.change('controller', sql, this.#at(name));
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #at({ role, id }: JobName): readonly string[] {
    return [this.#project, role, id];
  }
}

interface JobRow {
  readonly waits: boolean;
  readonly runs: boolean;
  readonly note: string | null;
  readonly stopping: boolean;
  readonly granted: string | null;
  readonly result: string | null;
  /** Of the result. */
  readonly bytes: number | null;
}

class SqlSource implements JobSource {
  readonly #connection: Connection;
  readonly #project: string;
  readonly #roles: readonly string[];
  readonly #labels: readonly string[];
  readonly #lease: number;

  constructor({ url, name, roles, lease, onChange }: QueueAddress, labels: readonly string[]) {
    this.#project = name;
    this.#roles = roles;
    this.#labels = labels;
    this.#lease = lease;
    this.#connection = new Connection({ url, project: name, side: 'workers', onChange });
  }

  problem(): string | null {
    return this.#connection.problem();
  }

  async announce(id: string, card: Json): Promise<void> {
    const sql = `insert into mailroom.workers (project, id, card, alive_until)
      values ($1, $2, $3, clock_timestamp() + $4 * interval '1 ms')
      on conflict (project, id) do update set card = excluded.card, alive_until = excluded.alive_until`;
    await this.#connection.ask(sql, [this.#project, id, JSON.stringify(card), this.#lease]);
  }

  async order(id: string): Promise<Json> {
    const sql = 'select ordered from mailroom.workers where project = $1 and id = $2';
    const [row] = await this.#connection.ask<{ ordered: string | null }>(sql, [this.#project, id]);
    return parsed(row?.ordered ?? null);
  }

  async leave(id: string): Promise<void> {
    await this.#connection.ask(removal, [this.#project, id]);
  }

  async take(except: ReadonlySet<string> = new Set()): Promise<HeldJob | null> {
    // Asked twice, it answers with the job that it has taken already.
    const sql = `update mailroom.jobs
      set holder = $4, held_until = clock_timestamp() + $5 * interval '1 ms'
      where (project, role, id) = (
        select project, role, id from mailroom.jobs
        where project = $1 and labels <@ $3 and role <> all ($6)
          and (role = any ($2) or role like '+%' and '+' || split_part(role, '+', 2) = any ($2))
          and (holder is null or holder = $4) and result is null
        order by holder nulls last, added
        limit 1 for update skip locked)
      returning role, id, data`;
    const holder = randomUUID();
    const given = [this.#project, [...this.#roles], [...this.#labels], holder, this.#lease, [...except]];
    const [job] = await this.#connection.ask<TakenRow>(sql, given);
    return job === undefined ? null : this.#held(job, holder);
  }

  #held({ role, id, data }: TakenRow, holder: string): HeldJob {
    const mine = [this.#project, role, id, holder];
    const set = (what: string, where: string, text: string): Promise<boolean> => {
      const sql = `update mailroom.jobs set ${what} where ${where} returning 1`;
      return this.#connection.change('controller', sql, [...mine, text]);
    };
    return {
      role,
      id,
      data: parsed(data),
      renew: async () => {
        const sql = `update mailroom.jobs set held_until = clock_timestamp() + $5 * interval '1 ms'
          where ${held} and result is null returning 1`;
        return (await this.#connection.ask(sql, [...mine, this.#lease])).length > 0;
      },
      note: async (about) => void (await set('note = $5', held, JSON.stringify(about))),
      asked: async () => {
        const sql = `select stopping, granted from mailroom.jobs where ${named} and holder = $4`;
        const [job] = await this.#connection.ask<Pick<JobRow, 'stopping' | 'granted'>>(sql, mine);
        return { stopping: job?.stopping ?? true, granted: parsed(job?.granted ?? null) };
      },
      // Asked twice, the same result is there already.
      finish: (result) => {
        const text = JSON.stringify(result);
        return set(
          'result = $5',
          `${held} and result is null or ${named} and holder = $4 and result = $5`,
          text,
        );
      },
      putBack: async () => {
        const sql = `update mailroom.jobs set holder = null, held_until = null, note = null, granted = null
          where ${held} and result is null returning 1`;
        await this.#connection.change('workers', sql, mine);
      },
    };
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}

interface TakenRow {
  readonly role: string;
  readonly id: string;
  readonly data: string;
}

/** What is not JSON, or nested too deep, counts as absent: it has no signature. */
function parsed(text: string | null): Json {
  return text === null ? null : (parseJson(text) ?? null);
}
