import { generateSecretKey, type Event } from 'nostr-tools/pure';
import { RealDisk } from '../../../../src/disk/real-disk.ts';
import { listRuns } from '../../../../src/workflow/files/run-folders.ts';
import { asks, tag } from '../../../support/nip-request.ts';
import { TestRelay } from '../../../support/relay.ts';
import type { Place } from '../place.ts';

const kinds = { definition: 30_920, request: 5_920, result: 6_920, status: 7_920 };

/** A workflow that is told in signed events. */
export const measure = JSON.stringify({
  kind: kinds.definition,
  tags: [
    ['d', 'killed'],
    ['name', 'killed'],
    ['input', 'text', 'string', 'true'],
    ['output', 'report', 'string'],
    ['step', 'build', '5100', 'input:$input.text', 'output:size'],
    ['step', 'two', '5300', 'input:$size', 'output:report'],
    ['edge', 'build', 'two', 'always'],
  ],
  content: '',
});

const relays = new WeakMap<Place, TestRelay>();

/** Opens a relay for a place, and has its project use it; `asked`: somebody else's request lies there, too. */
export async function openRelay(place: Place, asked: boolean): Promise<void> {
  const relay = await TestRelay.open();
  relays.set(place, relay);
  place.opened(() => relay.close());
  const settings = place.read('mailroom.yaml');
  place.write('mailroom.yaml', `${settings}nip: { msats_per_usd: 1000000, relays: ['${relay.url}'] }\n`);
  const [definition] = logOf(place, definitionLog);
  if (asked && definition)
    place.write('request.json', JSON.stringify(asks(definition.id, generateSecretKey())));
}

const [definitionLog, requestLog] = ['definitions', 'requests'];

/** The events of a log; a torn last line is none. */
function logOf(place: Place, name: string): Event[] {
  const text = new RealDisk(place.root).read(`.mailroom/events/${name}.jsonl`, 10_000_000)?.toString() ?? '';
  return text
    .split('\n')
    .slice(0, -1)
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event);
}

/** Whether it is later than the one before it: only a result may share a second, when it is too far ahead of the clock. */
function isInOrder({ created_at: at, kind }: Event, index: number, all: readonly Event[]): boolean {
  const before = all[index - 1]?.created_at ?? 0;
  return at > before || (at === before && kind === kinds.result);
}

/** What must hold of the events of a run: each thing is said once, in order, and the relay has what was said. */
export function checkPublished(place: Place, run: string, asked: boolean): string[] {
  const [request, ...said] = logOf(place, run);
  const definitions = logOf(place, definitionLog);
  const results = said.filter(({ kind }) => kind === kinds.result);
  const relay = relays.get(place)?.events ?? [];
  const written = new Set([...definitions, ...said, ...(request ? [request] : [])].map(({ id }) => id));
  const sent = new Set(relay.map(({ id }) => id));
  const runs = listRuns(new RealDisk(place.root));
  const followed = logOf(place, requestLog).map(({ id }) => id);
  const last = said.findLast(({ kind }) => kind === kinds.status);
  const times = said.map(({ created_at: at }) => at);
  const problems: readonly (readonly [boolean, string])[] = [
    [request?.kind === kinds.request, 'the events of the run do not begin with its request'],
    [definitions.length === 1, `${String(definitions.length)} definitions are kept`],
    // Where no host lived to keep the request, the run itself shows that it was followed.
    [
      followed.every((id) => asked && id === request?.id),
      `requests that were followed: ${followed.join(', ')}`,
    ],
    [new Set(followed).size === followed.length, 'a request was followed twice'],
    [runs.length === 1, `there are ${String(runs.length)} runs`],
    [
      results.map((each) => `${String(tag(each, 'step'))} ${String(tag(each, 'status'))}`).join() ===
        'build completed,two completed',
      `results: ${results.map(({ tags }) => JSON.stringify(tags)).join('; ')}`,
    ],
    [
      last !== undefined && tag(last, 'status') === 'completed',
      'the last status does not say that it is completed',
    ],
    [said.every(isInOrder), `the events have no order: ${times.join(', ')}`],
    [[...written].every((id) => sent.has(id)), 'the relay lacks events that were signed'],
    [[...sent].every((id) => written.has(id)), 'the relay has events that no log has'],
  ];
  return problems.flatMap(([holds, problem]) => (holds ? [] : [problem]));
}
