import { basename } from 'node:path';
import type { JsonObject } from '../../kernel/json.ts';
import type { RemoteEnd, RemoteTurn } from '../../letters/remote-turn.ts';
import { notStarted } from '../../process/supervision/exits.ts';
import type { Outcome } from '../../providers/provider.ts';
import type { JobName } from '../../queue/channel.ts';
import type { Ended } from './agents.ts';
import type { AgentJob } from './runner.ts';

/** What the queue carries at most for one job, and for one result, in bytes. */
export const mostBytes = 1_000_000;

/**
 * How long a worker that is not heard keeps a turn, in milliseconds: one that was away for shorter
 * than the lease has had time to come back and say so.
 */
export function keptFor(lease: number): number {
  return lease + 3_000;
}

const nothing = { usd: 0, tokens: 0 };

/** Why something is not sent through the queue. `what`: `the turn`. */
export function tooLarge(what: string, bytes: number): string {
  return `${what} has ${String(bytes)} bytes, and the queue carries at most ${String(mostBytes)}`;
}

/** Where the content of a checkout lies in the shared repository, before and after a turn. */
export function refsOf({ id }: JobName): { readonly beginRef: string; readonly endRef: string } {
  const ref = `refs/mailroom/turns/${id}`;
  return { beginRef: `${ref}/begin`, endRef: `${ref}/end` };
}

/** The id of a job, which is never used again: the same turns of two projects have others. */
export function jobIdOf({ thread, turn, attempt, round }: AgentJob['invocation'], chance: string): string {
  return [thread, turn, attempt, round, chance].join('.');
}

/** What a job runs: `turn/attempt/round`. */
export function turnIn(id: string): string {
  return id.split('.').slice(1, 4).join('/');
}

/** A turn as a worker needs it, with the files of its messages. */
export function remoteTurnOf(
  job: AgentJob,
  { version, begin }: Pick<RemoteTurn, 'version' | 'begin'>,
  read: (path: string) => string,
): JsonObject {
  const { invocation, provider, totalMs, idleMs, watched = [] } = job;
  const { role, thread, turn, attempt, round, prompt, capabilities, network, model, env } = invocation;
  const { paths, budget, mcp, mayConfigure, workspace, tools } = invocation;
  const labels = [...(job.on?.labels ?? [])];
  const given = {
    labels,
    version,
    provider,
    role,
    thread,
    turn,
    attempt,
    round,
    prompt,
    network,
    model,
    env,
  };
  const remote: RemoteTurn = {
    ...given,
    outbox: paths.outbox,
    messages: paths.messages.map((path) => ({ name: basename(path), text: read(path) })),
    capabilities: [...capabilities],
    budget: budget && { usd: budget.usd, tokens: budget.tokens },
    tools: tools !== null,
    mcp: mcp && [...mcp.own],
    mayConfigure,
    totalMs,
    idleMs,
    watched: watched.map((folder) => (folder === workspace ? 'workspace' : 'project')),
    begin,
  };
  return { ...remote };
}

/** How a turn ended on a worker, as if it had ended here. */
export function endedBy(
  { invocation: { workspace, project } }: AgentJob,
  { outcome, exit, changed }: RemoteEnd,
  difference: string | null,
): Ended {
  const folders = { workspace, project };
  return [
    { ...outcome, session: null },
    { ...exit, edits: null },
    new Map(changed.map(({ folder, changes }) => [folders[folder], changes])),
    difference,
  ];
}

/** A turn that no worker ran to its end. */
export function later(text: string): Ended {
  return failedBy({ is: 'later', class: 'RETRYABLE_TRANSIENT', until: null, ...because(text) });
}

/** A turn that no worker can run. */
export function never(text: string): Ended {
  return failedBy({ is: 'never', ...because(text) });
}

/** The end of a turn that is not wanted any more, or that this host leaves. */
export const stopped: Ended = never('it was stopped');

function because(text: string) {
  return { reason: { code: 'E_WORKER', text }, usage: nothing, session: null } as const;
}

function failedBy(outcome: Exclude<Outcome, { is: 'done' }>): Ended {
  return [outcome, notStarted(outcome.reason.text), new Map(), null];
}
