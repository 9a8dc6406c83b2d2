import type { ClientBase, Pool } from 'pg';

/**
 * The tables of all projects that use a database. Texts are JSON, which may contain what a column
 * of the type jsonb refuses. All hosts run one version of Mailroom; a version that needs other
 * tables takes another schema.
 */
const tables = `
  create schema if not exists mailroom;
  create table mailroom.jobs (
    project text,
    role text,
    id text,
    added bigint generated always as identity,
    data text not null,
    labels text[] not null,
    -- Who has taken it; null: it waits. The result keeps it.
    holder text,
    held_until timestamptz,
    note text,
    stopping boolean not null default false,
    -- What the controller has answered its worker.
    granted text,
    result text,
    primary key (project, role, id)
  );
  create table mailroom.workers (
    project text,
    id text,
    card text,
    alive_until timestamptz,
    ordered text,
    primary key (project, id)
  );`;

/** Creates what is missing. Two hosts may do so at once. */
export async function createTables(database: Pool | ClientBase): Promise<void> {
  await database.query(`do $$ begin
    perform pg_advisory_xact_lock(hashtext('mailroom tables'));
    if to_regclass('mailroom.workers') is null then ${tables} end if;
  end $$`);
}
