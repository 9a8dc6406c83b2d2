import * as z from 'zod';
import type { DocumentOf } from '../kernel/json.ts';
import { stepKinds } from '../kernel/step-queues.ts';
import { landingWays } from '../kernel/work.ts';
import type { SeenWorker } from '../letters/seen-workers.ts';
import { cost, count, explained, json, reason, texts, time, version } from './common.ts';
import { standing } from './standing.ts';

const wait = z.strictObject({
  thread: z.string(),
  blocks: z.enum(['role', 'thread', 'none']),
  roles: texts,
  messages: texts,
  types: texts.describe('The types of these messages'),
  since: time,
  deadline: time.nullable(),
});

const debt = z.strictObject({
  message: z.string(),
  thread: z.string(),
  type: z.string(),
  to: z.string(),
  subject: z.string(),
  deadline: time.nullable().describe('When the time to answer ends'),
});

const roleStatus = z
  .strictObject({
    name: z.string(),
    person: z.boolean().describe('Whether a person has it'),
    standing,
    state: z
      .enum(['paused', 'parked', 'running', 'held', 'interrupted', 'waiting', 'idle'])
      .describe('The first of these that applies'),
    running: count.describe('The number of its running turns'),
    inbox: count.describe('The number of messages waiting in its inbox'),
    waiting_for: z
      .strictObject({ roles: texts, messages: texts, since: time })
      .nullable()
      .describe('The roles that it waits for, and the unanswered requests to them'),
    waits: z.array(wait).describe('Each wait separately: all requests that one turn sent'),
    owes: z.array(debt).describe('Requests that it picked up, or received as a person, and has not answered'),
    turns: count,
    cost,
    why: explained
      .nullable()
      .describe('Why its waiting mail does not move, or why it failed; null: neither, or no controller runs'),
  })
  .meta({ id: 'Role' });

const thread = {
  id: z.string(),
  parent: z.string().nullable().describe('The thread that opened it; null: none did'),
  subject: z.string(),
  state: z.enum(['open', 'quiet', 'closed', 'failed']),
  reason: reason.nullable(),
  failed: reason
    .nullable()
    .describe('Why no turn could do the newest of its work; null: one did, or does, or may yet'),
  failed_by: z.string().nullable().describe('The role whose turn failed; null: none did'),
  failed_turn: z.string().nullable().describe('That turn; null: none did, or none had begun'),
  opened: time,
  latest: time.describe('When the newest of its messages was sent'),
  messages: count,
  turns: count,
  cost: cost.describe('With that of its sub-threads'),
  worktree: z.string().nullable().describe('The folder of its git worktree, relative to the project'),
  checkouts: z
    .array(z.strictObject({ role: z.string(), path: z.string() }))
    .describe('The git worktrees of its roles, where each has one of its own'),
};

export const threadStatus = z.strictObject(thread);

export const turnStatus = z
  .strictObject({
    id: z.string(),
    role: z.string(),
    thread: z.string(),
    state: z
      .enum([
        'queued',
        'running',
        'held',
        'interrupted',
        'left',
        'asking',
        'checking',
        'landing',
        'pending',
        'conflict',
        'failed',
      ])
      .describe(
        '`queued`: it waits for a worker; `held`: it waits for this machine; ' +
          '`interrupted`: its controller has ended, and the next one starts it again; `left`: the same, and its process still runs; `asking`: a person has to allow what its agent wants; ' +
          '`checking`: its agent has ended, its gates run; `landing`: its work is in the queue of a branch; ' +
          '`pending`: it waits for its next attempt, or for a slot to correct what could not land; ' +
          '`conflict`: a person has to resolve the conflict in its checkout',
      ),
    standing,
    held: z.string().nullable().describe('Why it is held; null: it is not'),
    provider: z.string(),
    instead_of: z.string().nullable().describe('The rate-limited provider that it replaces'),
    worker: z
      .strictObject({ host: z.string(), id: z.string(), login: z.string() })
      .nullable()
      .describe('The worker that runs it; null: none does'),
    attempt: count,
    round: count,
    messages: texts,
    since: time,
    again: time.nullable().describe('When a pending turn starts again; null: as soon as there is a slot'),
    progress: z.string().nullable().describe("Its agent's last progress report, in one line"),
    cost,
  })
  .meta({ id: 'Turn' });

const landing = z
  .strictObject({
    branch: z.string(),
    by: z.enum(landingWays),
    state: z
      .enum(['approval', 'queued', 'landing', 'landed'])
      .describe('`approval`: a person has to let it land; `landing`: the branch moves now'),
    turn: z.string(),
    role: z.string(),
    thread: z.string(),
    message: z.string().describe('The message that is delivered once it has landed'),
    commit: z.string(),
    changes: z
      .string()
      .nullable()
      .describe('Names exactly what waits for approval, for its answer; null: nothing waits'),
    blocked: z.string().nullable().describe('What keeps it from landing now'),
    since: time,
  })
  .meta({ id: 'Landing' });

const answerFields = z.record(
  z.string(),
  z.strictObject({
    type: z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object', 'any']),
    enum: z.array(json).nullable().describe('The allowed values; null: any of its type'),
    required: z.boolean(),
    default: json.describe('What an empty answer means; null: nothing'),
    description: z.string().nullable(),
  }),
);

export const stepsBefore = z
  .array(
    z.strictObject({
      step: z.string().describe('Its path in the run'),
      standing,
      result: z.string().describe('The first lines of its summary, final text or output; empty: none'),
    }),
  )
  .describe('What was done before it: the steps that it depends on');

/** What a run asks of people, and waits for. */
export const waitingGate = z
  .strictObject({
    gate: z.string(),
    message: z.string(),
    approvers: texts,
    choices: texts,
    fields: answerFields,
    since: time.nullable(),
    deadline: time.nullable(),
    on_timeout: z.string().nullable().describe('What happens without an answer before the deadline'),
    before: stepsBefore,
    approve: z.string().describe('The command that approves it, with the approver where there is only one'),
    recorded: z
      .strictObject({ choice: z.string(), by: z.string() })
      .nullable()
      .describe("An answer that waits for the run's process"),
  })
  .meta({ id: 'Gate' });

const runStatus = z
  .strictObject({
    run: z.string(),
    workflow: z.string(),
    title: z.string().nullable().describe('What people call the workflow; null: nothing but its name'),
    state: z
      .enum(['running', 'waiting', 'stopped'])
      .describe('`waiting`: only gates are left, or another run comes first. `stopped`: no process hosts it'),
    standing,
    started_by: z.enum(['person', 'up']),
    person: z
      .string()
      .nullable()
      .describe('Who started it, or let `up` start it; null: unknown, or `up` alone'),
    started_at: time.nullable(),
    steps: texts.describe('The active steps, without gates'),
    gates: z.array(waitingGate),
    paused: z
      .strictObject({ by: z.string(), at: time })
      .nullable()
      .describe('Nothing new starts; null: it is not paused'),
    why: explained.nullable().describe('Why it does not move; null: a step runs, or no process hosts it'),
    resume: z.string().nullable().describe('The command that resumes it; null: a process hosts it'),
    cost,
  })
  .meta({ id: 'ActiveRun' });

const trigger = z
  .strictObject({
    workflow: z.string().describe('The file of the workflow, relative to the project'),
    name: z.string(),
    kind: z.enum(['interval', 'cron', 'files', 'webhook', 'command', 'message']),
    active: z.boolean(),
    why: z.string().nullable().describe('Why it is inactive; null: it is active'),
    next: time.nullable().describe('When a time-based trigger is due'),
    last: z.strictObject({ run: z.string(), at: time.nullable() }).nullable(),
    waiting: z.boolean().describe('Whether a run that it requested waits for the one in progress'),
    cools_until: time
      .nullable()
      .describe('The end of its `cooldown`, which what it asked for waits for; null: nothing does'),
  })
  .meta({ id: 'Trigger' });

export const workerStatus = z.strictObject({
  host: z.string(),
  id: z.string(),
  login: z.string().describe('Whose usage limits its agents have'),
  version: z.string().describe('Of its program'),
  roles: texts,
  steps: z.array(z.enum(stepKinds)).describe('The kinds of steps of workflows that it runs'),
  labels: texts,
  slots: count,
  running: texts.describe('The turns that it runs: `turn/attempt/round`'),
  parked: z
    .array(z.strictObject({ provider: z.string(), until: time }))
    .describe('What its login has hit a usage limit of: it leaves such turns to other logins'),
  since: time.describe('On its clock, as `lastSeen`'),
  lastSeen: time,
  state: z
    .enum(['active', 'paused', 'draining', 'silent'])
    .describe('`silent`: it has not announced itself for one lease'),
}) satisfies z.ZodType<SeenWorker>;

/** The project, and whose key it is. */
export const sessionDocument = z.strictObject({
  schema: version,
  version: z.string().describe('The version of Mailroom'),
  project: z.string().describe('The folder of the project'),
  name: z.string().describe('Whose key it is: the name that approves'),
  access: z.enum(['read', 'write']),
});

/** A thread in a list. */
const threadRow = z.strictObject({
  ...thread,
  standing,
  why: explained
    .nullable()
    .describe('Why it does not move, or why it failed; null: neither, or no controller runs'),
});

const overview = {
  schema: version,
  at: z
    .strictObject({
      record: count.describe('The number of the last record; 0: none'),
      time,
      what: z.string().nullable().describe('What it says; null: nothing that a person sees'),
    })
    .nullable()
    .describe('The moment of the past that this is of; null: it is of now'),
  controller: z
    .strictObject({
      pid: z.number(),
      host: z.string(),
      since: time,
      triggers: z
        .boolean()
        .describe(
          'False: it is a run that moves the mail for its roles, and starts no workflow by its triggers',
        ),
    })
    .nullable()
    .describe('The holder of the project; null: no controller runs'),
  protocol_changed: z.boolean().describe('The protocol was edited since the controller read it'),
  paused: z.strictObject({ all: z.boolean(), roles: texts, threads: texts }),
  parked: z
    .array(z.strictObject({ provider: z.string(), until: time }))
    .describe('Providers that are not used before a given time'),
  roles: z.array(roleStatus),
  thread_counts: z
    .strictObject({ open: count, quiet: count, closed: count, failed: count })
    .describe('The number of threads by their state'),
  begun: time.nullable().describe('When the oldest of these threads was opened; null: there is none'),
  turns: z.array(turnStatus).describe('Unfinished turns'),
  landings: z.array(landing).describe('The landing queues of all branches, each in its order'),
  cost: z.strictObject({
    today: cost,
    limit: z
      .strictObject({ usd: z.number().nullable(), tokens: z.number().nullable() })
      .nullable()
      .describe('What a day may cost; null: no limit, or the protocol cannot be read'),
  }),
  recorded: count.describe('Messages in outboxes that wait for a controller'),
  problems: texts.describe('What is wrong, in words'),
  runs: z.array(runStatus).describe('Runs that have not ended, newest first'),
  triggers: z.array(trigger),
  workers: z
    .array(workerStatus)
    .nullable()
    .describe('As the controller has seen them; null: it has no roles on workers, or none runs'),
};

/** The project at a glance: what is in motion, without the list of its threads. */
export const overviewDocument = z.strictObject(overview);

/** `status`. */
export const statusDocument = z.strictObject({ ...overview, threads: z.array(threadRow) });

/** A part of the list of threads, each followed by those that it opened. */
export const threadsDocument = z.array(
  threadRow.extend({
    depth: count.describe('0: no thread in the list opened it'),
    alike: count
      .nullable()
      .describe('With `order=standing`, of the first that stands so: how many do; null: of the others'),
  }),
);

export type RoleStatus = DocumentOf<typeof roleStatus>;
export type ThreadStatus = DocumentOf<typeof threadStatus>;
export type TurnStatus = DocumentOf<typeof turnStatus>;
export type LandingStatus = DocumentOf<typeof landing>;
export type RunStatusDocument = DocumentOf<typeof runStatus>;
export type Session = DocumentOf<typeof sessionDocument>;
export type TriggerStatus = DocumentOf<typeof trigger>;
export type Overview = DocumentOf<typeof overviewDocument>;
export type StatusDocument = DocumentOf<typeof statusDocument>;
export type WaitingGate = DocumentOf<typeof waitingGate>;
export type ThreadRow = DocumentOf<typeof threadsDocument>[number];
export type MailStatus = Omit<StatusDocument, 'at' | 'threads' | 'runs' | 'triggers' | 'workers'> & {
  readonly threads: readonly ThreadStatus[];
};
export type RoleActivity = RoleStatus['state'];
export type WaitStatus = RoleStatus['waits'][number];
export type DebtStatus = RoleStatus['owes'][number];
export type TurnWorker = NonNullable<TurnStatus['worker']>;
export type ControllerStatus = NonNullable<StatusDocument['controller']>;
export type WaitingThread = StatusDocument['threads'][number];
