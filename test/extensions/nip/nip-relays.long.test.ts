import { chmodSync, existsSync } from 'node:fs';
import { finalizeEvent, generateSecretKey, getPublicKey, verifyEvent, type Event } from 'nostr-tools/pure';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NipProject } from './nip-project.ts';
import { answers, asks, over, tag, waits } from '../../support/nip-request.ts';
import { finished } from '../../support/project.ts';
import { TestRelay } from '../../support/relay.ts';

/*
 * Events of runs and requests of others over a relay on the loopback interface, through the real program.
 */

let relay: TestRelay;
let project: NipProject | null = null;

beforeEach(async () => {
  relay = await TestRelay.open();
});

afterEach(async () => {
  await relay.close();
  project?.remove();
  project = null;
});

const key = generateSecretKey();
/** Each plays several runs. */

function projectWith(nip: string): NipProject {
  return (project = new NipProject({}, `{ msats_per_usd: 1000000${nip} }`));
}

/** Takes down every connection that the program makes to somebody else's address, as `host:port`. */
const spy = `
import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...given) {
  const [options] = [given].flat(2);
  if (options?.port) appendFileSync(process.env.CONNECTIONS, options.host + ':' + options.port + '\\n');
  return connect.apply(this, given);
};`;

function watched(place: NipProject): Record<string, string> {
  const hook = `data:text/javascript,${encodeURIComponent(spy)}`;
  return { NODE_OPTIONS: `--import ${hook}`, CONNECTIONS: `${place.root}/connections` };
}

const execute = ['nip', 'execute', 'measure', '--input', 'text=a b'];

describe('a project with a relay', () => {
  it('sends it what it defines and what becomes of its runs, and tells what is refused', async () => {
    const place = projectWith(`, relays: ['${relay.url}/']`);
    const defined = await place.run(['nip', 'define', 'workflows/measure.json']);
    expect(defined.stdout).toContain(`${relay.url}/: taken\n`);
    relay.refuses = ({ content }) => (content === '2 words: a b' ? 'blocked: not here' : null);
    const run = await place.run([...execute, '--json'], watched(place));
    const { executionId } = JSON.parse(run.stdout) as { executionId: string };
    const said = [...place.events('definitions'), ...place.events(executionId)];
    expect(relay.events).toEqual(said.filter(({ content }) => content !== '2 words: a b'));
    expect(relay.events.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining([30_920, 5_920, 6_920, 7_920]),
    );
    for (const event of relay.events) expect(verifyEvent({ ...event })).toBe(true);
    expect(run.stderr).toContain(`the relay ${relay.url}/ refuses an event: blocked: not here\n`);
    expect(new Set(place.read('connections').trim().split('\n'))).toEqual(
      new Set([`127.0.0.1:${String(relay.port)}`]),
    );
  });
});

describe('the events of steps that end quickly', () => {
  it('reach a relay in their order: the newest status is sent while the next step works, though it waited', async () => {
    const count = 6;
    const step = (n: number) => [
      'step',
      `s${String(n)}`,
      '5100',
      'input:$input.text',
      `output:o${String(n)}`,
    ];
    const all = Array.from({ length: count }, (_none, n) => n);
    const tags = [
      ['d', 'quick'],
      ['name', 'Quick'],
      ...all.map(step),
      ['step', 'last', '5300', 'input:words=$o0.words', 'input:$input.text', 'output:report'],
      ...all.map((n) => ['edge', `s${String(n)}`, n + 1 < count ? `s${String(n + 1)}` : 'last']),
      ['input', 'text', 'string', 'true'],
    ];
    const place = projectWith(`, relays: ['${relay.url}']`);
    place.write('workflows/quick.json', JSON.stringify({ kind: 30_920, tags, content: '' }));
    // Only the last step waits.
    const until = waits.replace(
      `!isThere('go')`,
      `process.env.MAILROOM_ROLE === 'reporter' && !isThere('go')`,
    );
    place.write('agents/clerk.mjs', `${until}${place.read('agents/clerk.mjs')}`);
    const run = place.start(['run', 'quick', '--input', 'text=a b', '--plain']);
    const ended = finished(run);
    try {
      const statuses = () => relay.events.filter(({ kind }) => kind === 7_920);
      await relay.until(() => statuses().some((event) => tag(event, 'step') === 'last'));
      expect(relay.events.filter(({ kind }) => kind === 6_920)).toHaveLength(count);
      const newest = statuses().toSorted((a, b) => b.created_at - a.created_at)[0]!;
      expect(tag(newest, 'step')).toBe('last');
      expect(newest.created_at - Date.now() / 1_000).toBeLessThanOrEqual(5);
    } finally {
      place.write('go', '');
    }
    expect(await ended).toMatchObject({ code: 0 });
    const times = relay.events.map(({ created_at: at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
});

describe('a definition that a relay knows', () => {
  const tags = [
    ['d', 'theirs'],
    ['name', 'Theirs'],
    ['step', 'count', '5100', 'input:$input.text', 'output:size'],
    ['step', 'report', '5300', 'input:$size.words', 'input:$input.text', 'output:report'],
    ['edge', 'count', 'report', 'always'],
    ['input', 'text', 'string', 'true'],
  ];
  const signed = (at: number, ...more: string[][]): Event => {
    const event = { kind: 30_920, created_at: 1_700_000_000 + at, tags: [...tags, ...more], content: '' };
    return JSON.parse(JSON.stringify(finalizeEvent(event, key))) as Event;
  };

  it('is run as its author signed it, and refused with the reason when it is forged or cannot work', async () => {
    const place = projectWith(`, relays: ['${relay.url}']`);
    const [round, old, good] = [signed(0, ['edge', 'report', 'count', 'always']), signed(1), signed(2)];
    const forged = { ...signed(3), content: 'changed' };
    relay.events.push(round, old, good, forged);
    const run = (word: string) => place.run(['nip', 'execute', word, '--input', 'text=a b', '--json']);
    const { stdout } = await run(`30920:${getPublicKey(key)}:theirs`);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', outputs: { report: '2 words: a b' } });
    expect(place.events('definitions')).toEqual([good]);
    expect((await run(round.id)).stdout).toContain('these steps wait for each other');
    expect((await run(forged.id)).stdout).toContain('the signature of');
    expect((await run('00'.repeat(32))).stdout).toContain('no workflow is defined as');
    expect(place.events('definitions')).toEqual([good]);
  });
});

describe('a project without one', () => {
  it('connects to no one', async () => {
    const place = projectWith('');
    const { code } = await place.run(['run', 'measure', '--input', 'text=a b'], watched(place));
    expect(code).toBe(0);
    expect(existsSync(`${place.root}/connections`)).toBe(false);
  });
});

describe('a request over a relay', () => {
  /** What another project hears of the run, and when it can ask nobody. */
  async function tellsElsewhere(request: Event, by: string): Promise<void> {
    const nip = `{ relays: ['${relay.url}'] }`;
    const other = new NipProject({}, nip);
    try {
      const { stdout } = await other.run(['nip', 'status', request.id]);
      expect(stdout).toMatch(
        new RegExp(
          `^${tag(request, 'd')} completed\\nreported by ${by} at .*Z, 2 of 3 steps completed, 2000 msats\\n`,
        ),
      );
      expect(stdout).toContain('report: "2 words: a b"\n');
      const { port } = relay;
      await relay.close();
      expect(await other.run(['nip', 'status', request.id])).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /^error E_TARGET: nothing is known of a run[^]*hint: .*ECONNREFUSED/,
        ) as string,
      });
      relay = await TestRelay.open(port);
    } finally {
      other.remove();
    }
  }

  it('is followed once, for those who may ask, and answered there; everything else is refused with its reason', async () => {
    const relays = `relays: ['${relay.url}'], requesters: ['${getPublicKey(key)}'], maxBudget: 5000, maxConcurrentWorkflows: 1`;
    const place = projectWith(`, ${relays}`);
    const up = place.start(['up']);
    const ended = finished(up);
    try {
      // What becomes known while it runs is listened to, too.
      await place.run(['nip', 'define', 'workflows/measure.json']);
      const [definition] = place.events('definitions');
      await relay.until(() => relay.filters.length === 1);
      const stranger = asks(definition!.id, generateSecretKey());
      const forged = { ...asks(definition!.id, key), content: 'changed' };
      const first = asks(definition!.id, key);
      relay.say(stranger, true);
      for (const request of [forged, first]) relay.say(request);
      await relay.until(() => over(relay, first) !== undefined);
      expect(tag(over(relay, first)!, 'status')).toBe('completed');
      expect(
        answers(relay, first)
          .filter(({ kind }) => kind === 6_920)
          .map(({ content }) => content),
      ).toContain('2 words: a b');
      // Of the same second: only what it says tells the two apart.
      const again = asks(definition!.id, key, { d: tag(first, 'd')!, timeout: '61' });
      const huge = asks(definition!.id, key, { bid: '5001' });
      const wrong = asks(definition!.id, key, { input: '5' });
      relay.drop();
      await relay.until(() => relay.filters.length === 1);
      for (const request of [again, huge, wrong]) relay.say(request);
      const refused = [again, huge, wrong];
      await relay.until(() => refused.every((request) => over(relay, request) !== undefined));
      expect(refused.map((request) => over(relay, request)!.content)).toEqual([
        'the request is refused: it was followed before',
        'the request is refused: its budget of 5001 msats is more than the 5000 that are allowed',
        'the request is refused: the input `text` must be a string, not 5',
      ]);
      for (const nobody of [stranger, forged]) expect(answers(relay, nobody)).toEqual([]);
      expect(JSON.parse((await place.run(['runs', '--json'])).stdout)).toHaveLength(1);
      const [slow, more] = [asks(definition!.id, key), asks(definition!.id, key)];
      place.write('agents/clerk.mjs', `${waits}${place.read('agents/clerk.mjs')}`);
      relay.say(slow);
      await relay.until(() => answers(relay, slow).length > 0);
      relay.say(more);
      await relay.until(() => over(relay, more) !== undefined);
      expect(over(relay, more)!.content).toBe('the limit of parallel nip runs is reached: 1');
      place.write('go', '');
      await relay.until(() => over(relay, slow) !== undefined);
      expect(tag(over(relay, slow)!, 'status')).toBe('completed');
      await tellsElsewhere(first, answers(relay, first)[0]!.pubkey);
    } finally {
      up.kill('SIGTERM');
    }
    await ended;
  });
  it('is followed for a definition, and a version of it, that is made while `up` runs', async () => {
    const relays = `relays: ['${relay.url}'], requesters: ['${getPublicKey(key)}']`;
    const place = projectWith(`, ${relays}`);
    await place.run(['nip', 'define', 'workflows/measure.json']);
    const up = place.start(['up']);
    const ended = finished(up);
    try {
      await relay.until(() => relay.filters.length === 1);
      for (const version of ['2.0.0', '3.0.0']) {
        place.write('next.json', place.read('workflows/measure.json').replace('1.0.0', version));
        await place.run(['nip', 'define', 'next.json']);
        const { id } = place.events('definitions').at(-1)!;
        await relay.until(() => relay.filters.some((filter) => filter['#e']?.includes(id) === true));
        const request = asks(id, key);
        relay.say(request);
        await relay.until(() => over(relay, request) !== undefined);
        expect(tag(over(relay, request)!, 'status')).toBe('completed');
      }
    } finally {
      up.kill('SIGTERM');
    }
    await ended;
  });

  it('is followed beside a run of an earlier `up` that no one can read, which is named', async () => {
    const place = projectWith(`, relays: ['${relay.url}'], requesters: ['${getPublicKey(key)}']`);
    await place.run(['nip', 'define', 'workflows/measure.json']);
    const { id } = place.events('definitions')[0]!;
    for (const isDamaged of [true, false]) {
      const up = place.start(['up', '--plain']);
      const ended = finished(up);
      try {
        await relay.until(() => relay.filters.length === 1);
        const request = asks(id, key);
        relay.say(request);
        await relay.until(() => over(relay, request) !== undefined);
        expect(tag(over(relay, request)!, 'status')).toBe('completed');
      } finally {
        up.kill('SIGTERM');
      }
      const [run = ''] = place.list('.mailroom/runs');
      const definition = `.mailroom/runs/${run}/definition`;
      const named = `${definition} is missing or damaged`;
      const { stdout, stderr } = await ended;
      expect(`${stdout}${stderr}`.includes(named)).toBe(!isDamaged);
      if (isDamaged) place.write(definition, '{}');
      place.write(
        `.mailroom/events/${run}.jsonl`,
        `{"id":5}\n${place.read(`.mailroom/events/${run}.jsonl`)}`,
      );
    }
  });

  it('is resumed by the next `up`, also where the project itself has signed it', async () => {
    const own = generateSecretKey();
    const place = projectWith(`, relays: ['${relay.url}'], requesters: ['${getPublicKey(own)}']`);
    place.write('.mailroom/nostr.key', `${Buffer.from(own).toString('hex')}\n`);
    chmodSync(`${place.root}/.mailroom/nostr.key`, 0o600);
    await place.run(['nip', 'define', 'workflows/measure.json']);
    place.write('agents/clerk.mjs', `${waits}${place.read('agents/clerk.mjs')}`);
    const request = asks(place.events('definitions')[0]!.id, own);
    const killed = place.start(['up']);
    const dead = finished(killed);
    await relay.until(() => relay.filters.length === 1);
    relay.say(request);
    await relay.until(() => answers(relay, request).length > 0);
    killed.kill('SIGKILL');
    await dead;
    place.write('go', '');
    const up = place.start(['up']);
    const ended = finished(up);
    try {
      await relay.until(() => over(relay, request) !== undefined);
      expect(tag(over(relay, request)!, 'status')).toBe('completed');
    } finally {
      up.kill('SIGTERM');
    }
    await ended;
  });

  it('is left to others that it is addressed to, that do it already, or have done it', async () => {
    const theirs = generateSecretKey();
    const place = projectWith(`, relays: ['${relay.url}'], requesters: ['${getPublicKey(key)}']`);
    const made = JSON.parse(place.read('workflows/measure.json')) as { tags: string[][]; content: string };
    const event = finalizeEvent({ kind: 30_920, created_at: 1_700_000_000, ...made }, theirs);
    place.write('theirs.json', JSON.stringify(event));
    await place.run(['nip', 'define', 'theirs.json']);
    const [done, refused, elsewhere] = [
      asks(event.id, key),
      asks(event.id, key),
      asks(event.id, key, { p: getPublicKey(theirs) }),
    ];
    const status = (request: Event, word: string, total: string) =>
      finalizeEvent(
        {
          kind: 7_920,
          created_at: request.created_at,
          tags: [
            ['e', request.id, '', 'execution'],
            ['status', word],
            ['progress', '0', total],
          ],
          content: '',
        },
        theirs,
      );
    relay.events.push(elsewhere, done, status(done, 'running', '3'), refused, status(refused, 'failed', '0'));
    const up = place.start(['up']);
    const ended = finished(up);
    try {
      const own = () => answers(relay, refused).filter(({ pubkey }) => pubkey !== getPublicKey(theirs));
      await relay.until(() => own().some((each) => tag(each, 'status') === 'completed'));
      const ours = asks(event.id, key, { p: own()[0]!.pubkey });
      relay.events.push(status(ours, 'completed', '3'));
      relay.say(ours);
      await relay.until(() => answers(relay, ours).some((each) => each.kind === 6_920));
      expect(answers(relay, elsewhere)).toEqual([]);
      expect(answers(relay, done)).toHaveLength(1);
      expect(JSON.parse((await place.run(['runs', '--json'])).stdout)).toHaveLength(2);
    } finally {
      up.kill('SIGTERM');
    }
    await ended;
  });
});
