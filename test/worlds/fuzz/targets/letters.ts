import fc from 'fast-check';
import { followedRequests } from '../../../../src/operations/nip/executions.ts';
import { MailroomError } from '../../../../src/kernel/errors.ts';
import type { Json, JsonObject } from '../../../../src/kernel/json.ts';
import { workflowList } from '../../../../src/nostr/listing.ts';
import { publishedStatusOf } from '../../../../src/nostr/published-status.ts';
import { Deliveries, deliveryLogs } from '../../../../src/nostr/deliveries.ts';
import {
  definitionFile,
  definitionLog,
  EventLog,
  refusalLog,
  requestLog,
} from '../../../../src/nostr/event-log.ts';
import { contextHolderFile, readContextHolder } from '../../../../src/workflow/files/context-holder.ts';
import { refuseBadMemories, rememberedWorkflows } from '../../../../src/workflow/triggers/memory-files.ts';
import { readHolder } from '../../../../src/host/holder.ts';
import { listRuns, readRun } from '../../../../src/workflow/files/run-folders.ts';
import { run, type Desk } from '../../../mail/host/desk.ts';
import { begin, hostOf } from '../../../workflow/host/run-desk.ts';
import { step, workflow } from '../../../workflow/files/samples.ts';
import { template } from '../../../workflow/machine/graph.ts';
import { bounded, Finding, type Target } from '../target.ts';
import { readConfirmed } from '../../../../src/operations/project/confirmed.ts';

/*
 * Any JSON in any folder that a host reads and others may write: no host ends, and the mail and the run continue with the rest.
 */

const id = '01900000-0000-7000-8000-0000000000aa';
const definition = workflow(
  step('build', [], { kind: 'role', role: 'one', instructions: template('Build it.') }),
);
const runs = `.mailroom/runs/${run}`;
const context = '/w/context';
const logs = [definitionLog, requestLog, refusalLog, run];
const event = {
  id: 'a'.repeat(64),
  pubkey: 'b'.repeat(64),
  created_at: 1_700_000_000,
  kind: 7_920,
  tags: [
    ['d', 'x'],
    ['status', 'running'],
  ],
  content: '{}',
  sig: 'c'.repeat(128),
};

/** Where a document may lie, and a right one to begin with; it does nothing that would keep the rest from being done. */
const places: Readonly<Record<string, JsonObject>> = {
  '.mailroom/control/x.json': {
    id,
    at: 1,
    by: 'ada',
    verb: 'unpause',
    target: { kind: 'role', role: 'one' },
    now: false,
  },
  '.mailroom/incoming/step.json': {
    kind: 'step',
    id,
    run,
    role: 'nobody',
    subject: 'a',
    body: 'b',
    fields: { a: 1 },
    timeout: 5,
  },
  '.mailroom/incoming/notice.json': { kind: 'notice', id, run, role: 'ada', subject: 'a', body: 'b' },
  '.mailroom/incoming/withdrawal.json': { kind: 'withdrawal', id, run, step: id, by: 'ada' },
  '.mailroom/parked/agent': { until: 1 },
  '.mailroom/lock.json': { pid: 1, host: 'h', since: 1, triggers: false, startTime: null },
  '.mailroom/triggers/x.json': { workflow: 'w', memory: { going: null, triggers: {} } },
  [`${runs}/control/x.json`]: { id, at: 1, by: 'ada', verb: 'approve', path: 'nowhere' },
  [`${runs}/inbox/waits.json`]: {},
  [`${runs}/inbox/${id}.json`]: {
    id,
    run,
    outcome: { is: 'done' },
    text: 'a',
    values: {},
    usage: { usd: 1, tokens: 1 },
    durationMs: 1,
  },
  [`${runs}/run.json`]: {
    run,
    workflow: 'w',
    workspace: '/w',
    source: null,
    startedBy: 'person',
    startedAt: 1,
  },
  [`${runs}/definition`]: { name: 'w', body: { steps: [] } },
  [contextHolderFile(context)]: { run, restored: true },
  ...Object.fromEntries(logs.map((log) => [`.mailroom/events/${log}.jsonl`, event])),
  '.mailroom/events/relays/definitions.jsonl': { relay: 'ws://x', event: event.id, answer: null },
};

/** A document with something else in one place, or something else altogether. */
function changed(document: JsonObject): fc.Arbitrary<Json> {
  const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
  const nasty = fc.constantFrom<Json>('../../x', '', '\0', '__proto__', -1, 1e300, null, [], {});
  const other = fc.oneof(value, nasty);
  const replaced = fc
    .tuple(fc.constantFrom(...Object.keys(document), 'more'), other)
    .map(([key, it]): Json => ({ ...document, [key]: it }));
  return fc.oneof({ weight: 4, arbitrary: replaced }, { weight: 1, arbitrary: other });
}

const planted = fc
  .constantFrom(...Object.entries(places))
  .chain(([path, document]) => fc.tuple(fc.constant(path), changed(document)));

function follow(desk: Desk): void {
  const host = hostOf(desk, definition, false);
  for (let round = 0; host.state.endedAt === null; round += 1) {
    if (round > 20) throw new Error('the run does not end');
    host.look();
    desk.settle();
    desk.now += 1_000;
  }
}

/** What is damaged may be refused, in words. */
function clearly(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof MailroomError) || error.code === 'E_INTERNAL') throw error;
  }
}

/** Everything that is made of signed events, and of what relays have answered to them. */
function readEvents({ disk }: Desk): void {
  const definitions = new EventLog(disk, definitionLog).read();
  for (const each of definitions) definitionFile(disk, each);
  JSON.stringify([workflowList(definitions, null), followedRequests(disk)]);
  for (const log of logs) {
    const events = new EventLog(disk, log).read();
    JSON.stringify(publishedStatusOf(events));
    new Deliveries(disk, log).want(events, ['ws://x']);
  }
  for (const log of deliveryLogs(disk)) new Deliveries(disk, log).unsent('ws://x');
}

function play(documents: readonly (readonly [string, Json])[]): void {
  const desk = begin(definition);
  for (const [path, document] of documents) desk.disk.write(path, JSON.stringify(document));
  refuseBadMemories(desk.disk);
  rememberedWorkflows(desk.disk);
  readHolder(desk.disk);
  readContextHolder(desk.disk, context);
  readConfirmed(desk.disk);
  listRuns(desk.disk);
  clearly(() => readRun(desk.disk, run));
  readEvents(desk);
  desk.settle();
  follow(desk);
  // And so does the next controller.
  desk.open();
  const task = desk.send('one', { path: 'other', iteration: 1, attempt: 1, check: 0 });
  desk.settle();
  if (!desk.run.answers().some((each) => each.id === task && each.answer?.outcome.is === 'done'))
    throw new Error('the mail does not continue');
}

function attempt(documents: readonly (readonly [string, Json])[]): void {
  try {
    bounded(() => play(documents));
  } catch (error) {
    throw new Finding(error instanceof Error ? (error.stack ?? error.message) : String(error), documents);
  }
}

const incoming = '.mailroom/incoming/step.json';

export const letters: Target = {
  name: 'documents of other processes',
  everyday: 150,
  property: fc.property(fc.array(planted, { minLength: 1, maxLength: 4 }), attempt),
  corpus: [
    {
      name: 'a step whose id is a path',
      run: () => attempt([[incoming, { ...places[incoming], role: 'one', id: '../../../../x' }]]),
    },
    {
      name: 'a definition whose id is a path',
      run: () => attempt([['.mailroom/events/definitions.jsonl', { ...event, id: '../../x' }]]),
    },
    {
      name: 'an event of a year that no calendar has',
      run: () => attempt([[`.mailroom/events/${run}.jsonl`, { ...event, created_at: 2 ** 53 - 1 }]]),
    },
    {
      name: 'a run of which nobody knows what it is',
      run: () => attempt([[`${runs}/run.json`, []]]),
    },
    {
      name: 'an answer without values',
      run: () => attempt([[`${runs}/inbox/${id}.json`, { run, outcome: { is: 'done' } }]]),
    },
  ],
};
