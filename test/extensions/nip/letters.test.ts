import fc from '../../support/fast-check.ts';
import { expect, it } from 'vitest';
import type { Disk } from '../../../src/disk/disk.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { readEvent } from '../../../src/extensions/nip/letters/read.ts';
import { followedRequests } from '../../../src/extensions/nip/executions.ts';
import { Deliveries, deliveryLogs } from '../../../src/extensions/nip/nostr/deliveries.ts';
import {
  definitionFile,
  definitionLog,
  EventLog,
  refusalLog,
  requestLog,
} from '../../../src/extensions/nip/nostr/event-log.ts';
import { workflowList } from '../../../src/extensions/nip/nostr/listing.ts';
import { publishedStatusOf } from '../../../src/extensions/nip/nostr/published-status.ts';
import { answersFor, readAsked } from '../../../src/extensions/nip/nostr/request.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';

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

const logs = [definitionLog, requestLog, refusalLog, '01900000-0000-7000-8000-000000000001'];

it('an event of any shape can be reported, judged and listed', () => {
  const one = fc.record({
    created_at: fc.oneof(fc.nat(), fc.constantFrom(8.64e12, 8.64e12 + 1, 2 ** 53)),
    kind: fc.constantFrom(5_920, 6_920, 7_920, 30_920),
    tags: fc.array(
      fc.tuple(fc.constantFrom('status', 'progress', 'd', 'output', 'step', 'bid', '__proto__'), fc.string()),
    ),
    content: fc.oneof(fc.string(), fc.json(), fc.constant(`${'['.repeat(9_999)}${']'.repeat(9_999)}`)),
  });
  const property = fc.property(fc.array(one, { minLength: 1, maxLength: 3 }), (changes) => {
    const events = changes.flatMap((change) => {
      const read = readEvent(JSON.stringify({ ...event, ...change }));
      return read.ok ? read.value : [];
    });
    JSON.stringify([publishedStatusOf(events), workflowList(events, null)]);
    for (const each of events) expect([readAsked(each).ok, answersFor(event, '', each)]).toHaveLength(2);
  });
  fc.assert(property, { numRuns: 200 });
});

/** Everything that is made of signed events, and of what relays have answered to them. */
function readEvents(disk: Disk): void {
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

it('any JSON in the folders of events is read, or left out', () => {
  const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
  const nasty = fc.constantFrom<Json>('../../x', '', '\0', '__proto__', -1, 1e300, 2 ** 53 - 1, null, [], {});
  const one = fc
    .tuple(fc.constantFrom(...Object.keys(event), 'more'), fc.oneof(value, nasty))
    .map(([key, other]): Json => ({ ...event, [key]: other }));
  const document = fc.oneof({ weight: 4, arbitrary: one }, { weight: 1, arbitrary: value });
  const place = fc.constantFrom(...logs, 'relays/definitions');
  const property = fc.property(fc.array(fc.tuple(place, document), { maxLength: 6 }), (planted) => {
    const disk = new MemoryDisk(() => 0);
    for (const [name, each] of planted)
      disk.write(`.mailroom/events/${name}.jsonl`, `${JSON.stringify(each)}\n`);
    expect(() => readEvents(disk)).not.toThrow();
  });
  fc.assert(property, { numRuns: 200 });
});

it('a definition whose id is a path is left out, and no file is written for it', () => {
  const disk = new MemoryDisk(() => 0);
  const outside = { ...event, kind: 30_920, id: '../../x' };
  disk.write(`.mailroom/events/${definitionLog}.jsonl`, `${JSON.stringify(outside)}\n`);
  expect(new EventLog(disk, definitionLog).read()).toEqual([]);
});

it('the name of a definition that is a path names no file', () => {
  const disk = new MemoryDisk(() => 0);
  const named = { ...event, kind: 30_920, tags: [['d', '../../../x']] };
  const path = definitionFile(disk, named);
  expect(path).toBe(`.mailroom/events/${definitionLog}/${event.id}.json`);
});

it.each([
  [8.64e12, '+275760-09-13T00:00:00.000Z'],
  [8.64e12 + 1, undefined],
])('an event of an impossible year is left out: %d', (at, time) => {
  const disk = new MemoryDisk(() => 0);
  const [kind, id] = [7_920, '01900000-0000-7000-8000-000000000001'];
  disk.write(`.mailroom/events/${id}.jsonl`, `${JSON.stringify({ ...event, kind, created_at: at })}\n`);
  const read = new EventLog(disk, id).read();
  expect(read.map(({ created_at: seconds }) => new Date(seconds * 1_000).toISOString())).toEqual(
    time === undefined ? [] : [time],
  );
  expect(() => publishedStatusOf(read)).not.toThrow();
});
