import fc from '../../support/fast-check.ts';
import { expect, it } from 'vitest';
import { kinds, tagOf, type NostrEvent } from '../../../src/extensions/nip/letters/nostr-event.ts';
import { DiskGuard } from '../../../src/disk/disk-guard.ts';
import { Announcer } from '../../../src/extensions/nip/nostr/announcer.ts';
import { nip } from './language/nip.ts';
import { World } from '../../workflow/machine/world.ts';

const signer = {
  pubkey: 'us',
  sign: (template: object) => ({ ...template, id: 'i', sig: 's', pubkey: 'us' }) as NostrEvent,
};
const request: NostrEvent = {
  id: 'r',
  pubkey: 'them',
  sig: 's',
  kind: kinds.request,
  // The clock of whoever asks is not ours.
  created_at: 4_000_000_000,
  content: '',
  tags: [],
};

/** A run whose host publishes after everything that happens, and what has been published of it. */
class Published {
  readonly world: World;
  readonly events: NostrEvent[] = [];
  #announcer: Announcer;

  constructor(...tags: string[][]) {
    this.world = new World(nip(...tags));
    this.#announcer = this.#fresh();
    this.publish();
  }

  publish(): void {
    const { state, now } = this.world;
    this.#announcer.observe(state, this.world.history, now);
  }

  /** Time passes, and the host looks when the announcer asks for it. */
  pass(milliseconds: number): void {
    const until = this.world.now + milliseconds;
    for (let due = this.#announcer.due(); due !== null && due <= until; due = this.#announcer.due()) {
      this.world.pass(Math.max(0, due - this.world.now));
      this.publish();
    }
    this.world.pass(until - this.world.now);
  }

  /** Another host continues with what is in the log. */
  restart(): void {
    this.#announcer = this.#fresh();
    this.publish();
  }

  /** Another host looks at a run in which nothing happens any more. */
  find(): void {
    this.#announcer = this.#fresh();
    this.#announcer.observe(this.world.state, [], this.world.now);
  }

  get words(): string[] {
    return this.events.map((event) => `${tagOf(event, 'step') ?? ''} ${tagOf(event, 'status') ?? ''}`);
  }

  /** Seconds by which each is ahead of the time now. */
  get ahead(): number[] {
    return this.events.map(({ created_at: at }) => at - Math.floor(this.world.now / 1_000));
  }

  #fresh(): Announcer {
    const append = (events: readonly NostrEvent[]) => void this.events.push(...events);
    const published = [request, ...this.events];
    const announced = { append, signer, execution: { id: 'run', request }, published };
    return new Announcer(announced, this.world.rules, new DiskGuard());
  }
}

function steps(count: number): string[][] {
  return Array.from({ length: count }, (_none, n) => [
    'step',
    `s${String(n)}`,
    '5200',
    `output:o${String(n)}`,
    'policy:skip',
  ]);
}

it('orders the events of a run by their time, also over restarts, and follows no clock of others', () => {
  const run = new Published(
    ['step', 'a', '5200', 'output:one'],
    ['step', 'b', '5200', 'output:two'],
    ['edge', 'a', 'b'],
  );
  run.world.done('a');
  run.publish();
  // Another host of the run, within the same second.
  run.world.fails('b', { class: 'NON_RETRYABLE' });
  run.restart();
  run.restart();
  expect(run.words).toEqual(['a running', 'a completed', 'b running', 'b failed', ' failed']);
  expect(run.ahead).toEqual([0, 1, 2, 3, 4]);
});

it('tells the end of a run whose host died before it did, where nothing happens any more', () => {
  const run = new Published(['step', 'a', '5200', 'output:one']);
  run.world.done('a');
  run.find();
  run.find();
  expect(run.words).toEqual(['a running', 'a completed', ' completed']);
});

it('holds back all but the newest of many `running` statuses, and no result, so that none is far ahead', () => {
  const run = new Published(...steps(9));
  for (let n = 0; n < 8; n += 1) {
    run.world.done(`s${String(n)}`);
    run.publish();
  }
  expect(run.words.filter((word) => word.endsWith('running'))).toEqual(['s0 running', 's1 running']);
  expect(run.ahead).toEqual([0, 1, 2, 3, 4, 4, 4, 4, 4, 4]);
  run.pass(10_000);
  expect(run.words.at(-1)).toBe('s8 running');
  expect(run.ahead.at(-1)).toBe(-5);
});

it('keeps every burst of events in order, a few seconds ahead at most', () => {
  const act = fc.oneof(
    fc.record({ is: fc.constant('ends' as const), well: fc.boolean() }),
    fc.record({ is: fc.constant('passes' as const), milliseconds: fc.integer({ min: 0, max: 3_000 }) }),
    fc.record({ is: fc.constant('restarts' as const) }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.array(act, { maxLength: 40 }), (count, acts) => {
      const run = new Published(...steps(count));
      let [checked, published] = [0, 0];
      for (const each of acts) {
        if (each.is === 'passes') run.pass(each.milliseconds);
        else if (each.is === 'restarts') run.restart();
        const [first] = each.is === 'ends' ? run.world.running : [];
        if (each.is === 'ends' && first !== undefined) {
          if (each.well) run.world.done(first);
          else run.world.fails(first, { class: 'NON_RETRYABLE' });
          run.publish();
          checked += 1;
        }
        for (const late of run.ahead.slice(published)) expect(late).toBeLessThanOrEqual(5);
        published = run.events.length;
      }
      const results = run.events.filter(({ kind }) => kind === kinds.result);
      expect(new Set(results.map((event) => tagOf(event, 'step'))).size).toBe(checked);
      for (const [index, event] of run.events.entries()) {
        const before = run.events[index - 1]?.created_at ?? 0;
        expect(event.created_at).toBeGreaterThanOrEqual(event.kind === kinds.status ? before + 1 : before);
      }
      // In the end the newest status says what is so.
      run.pass(10_000);
      const { steps: all } = run.world.rules.root;
      const completed = [...all.keys()].filter((id) => run.world.status(id) === 'SUCCEEDED').length;
      const last = run.events.findLast(({ kind }) => kind === kinds.status)!;
      expect(last.tags).toContainEqual(['progress', String(completed), String(count)]);
    }),
  );
});
