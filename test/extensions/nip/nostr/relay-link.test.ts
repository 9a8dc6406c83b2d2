import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { finalizeEvent, generateSecretKey, type Event } from 'nostr-tools/pure';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestRelay } from '../../../support/relay.ts';
import { RelayLink, type RelayLinkOptions } from '../../../../src/extensions/nip/nostr/relay-link.ts';

const key = generateSecretKey();
let relay: TestRelay;
let links: RelayLink[];

beforeEach(async () => {
  relay = await TestRelay.open();
  links = [];
});

afterEach(async () => {
  for (const each of links) each.close();
  await relay.close();
});

function link(options: RelayLinkOptions = {}, url = relay.url): RelayLink {
  const made = new RelayLink(url, { pauses: [1], ...options });
  links.push(made);
  return made;
}

function event(kind: number, content: string): Event {
  const signed = finalizeEvent({ kind, created_at: 1_700_000_000, tags: [], content }, key);
  return JSON.parse(JSON.stringify(signed)) as Event;
}

/** A promise and what keeps it. */
function promised<T>(): { readonly done: Promise<T>; readonly keep: (value: T) => void } {
  let keep: (value: T) => void = () => {};
  const done = new Promise<T>((resolve) => (keep = resolve));
  return { done, keep };
}

describe('what is sent to a relay', () => {
  it('is kept by it, or refused with its reason', async () => {
    relay.refuses = ({ content }) => (content === 'bad' ? 'blocked: not here' : null);
    const answers: string[][] = [];
    const to = link({ answered: (...given) => answers.push(given) });
    const [good, bad] = [event(7_920, 'good'), event(7_920, 'bad')];
    to.publish([good, bad]);
    expect(to.isOpen(good.id)).toBe(true);
    await to.answers(10_000);
    expect(relay.events).toEqual([good]);
    expect(answers).toEqual([
      [good.id, ''],
      [bad.id, 'blocked: not here'],
    ]);
    expect(to.isOpen(good.id)).toBe(false);
    expect(to.problem).toBe(`the relay ${relay.url} refuses an event: blocked: not here`);
  });

  it('is sent again over the next connection, until the relay answers', async () => {
    const to = link();
    let tries = 0;
    relay.refuses = () => {
      tries += 1;
      if (tries === 1) relay.drop();
      return tries < 3 ? 'rate-limited: slow down' : null;
    };
    const said = event(6_920, 'once');
    to.publish([said]);
    await relay.until(() => tries === 2);
    relay.drop();
    await to.answers(10_000);
    expect(relay.events).toEqual([said]);
    expect(relay.connections).toBe(3);
    expect(to.problem).toBeNull();
  });

  it('is sent again over the same connection where the relay puts it off', async () => {
    let tries = 0;
    relay.refuses = () => ((tries += 1) < 3 ? 'rate-limited: slow down' : null);
    const said = event(6_920, 'once');
    link().publish([said]);
    await relay.until(() => relay.events.length > 0);
    expect([relay.events, tries, relay.connections]).toEqual([[said], 3, 1]);
  });

  it('waits for a relay that comes later', async () => {
    const { port, url } = relay;
    await relay.close();
    const to = link({}, url);
    const said = event(6_920, 'late');
    to.publish([said]);
    await to.answers(1);
    expect(to.isOpen(said.id)).toBe(true);
    relay = await TestRelay.open(port);
    await relay.until(() => relay.events.length > 0);
    expect(relay.events).toEqual([said]);
  });

  it('is not waited for while a relay cannot be reached, but tried once more', async () => {
    const { port, url } = relay;
    await relay.close();
    const long = 600_000;
    const away = promised<void>();
    const to = link({ pauses: [long], away: away.keep }, url);
    const said = event(6_920, 'late');
    to.publish([said]);
    await to.answers(long);
    expect(to.problem).toContain('cannot be reached');
    await away.done;
    relay = await TestRelay.open(port);
    await to.answers(long);
    expect([relay.events, to.problem]).toEqual([[said], null]);
  });

  it('is waited for so long where a relay does not answer, and that is told', async () => {
    const silent = createServer((socket) => socket.resume());
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const to = link({}, `ws://127.0.0.1:${String((silent.address() as AddressInfo).port)}`);
    to.publish([event(6_920, 'x')]);
    await to.answers(100);
    to.close();
    await new Promise((resolve) => silent.close(resolve));
    expect(to.problem).toMatch(/^the relay .* has not answered within 0\.1 s$/);
  });

  /** What a link says is wrong, as soon as anything is. */
  async function problemOf(url: string, options: RelayLinkOptions = {}): Promise<string> {
    const lost = promised<string>();
    const to = link({ pauses: [60_000], ...options }, url);
    const look = () => (to.problem === null ? setImmediate(look) : lost.keep(to.problem));
    look();
    const problem = await lost.done;
    expect(problem.startsWith(`the relay ${url} `)).toBe(true);
    return problem.slice(`the relay ${url} `.length);
  }

  it('says in plain words why a relay cannot be reached', async () => {
    const { url } = relay;
    expect(await problemOf(url.replace('ws:', 'wss:'))).toBe(
      'cannot be reached: it does not speak as relays do',
    );
    const wants = () => ({ kinds: [1] });
    const long = problemOf(url, { wants });
    await relay.until(() => relay.filters.length === 1);
    relay.say('x'.repeat(2 * 1024 * 1024), true);
    expect(await long).toBe('cannot be reached: it sends a message that is longer than 1 MiB');
    await relay.close();
    expect(await problemOf(url)).toBe(
      'cannot be reached: nothing accepts connections at this address (ECONNREFUSED)',
    );
    relay = await TestRelay.open();
  });

  it.each([
    ['HTTP/1.1 404 Not Found\r\n\r\n', 'no relay is at this address: it answers with HTTP status 404'],
    ['220 mail.example.com\r\n', 'it does not speak as relays do'],
    ['', 'it has ended the connection (ECONNRESET)'],
    [
      'HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n',
      'it does not speak as relays do',
    ],
  ])('says so of a server that answers %j', async (text, reason) => {
    const server = createServer(
      (socket) => void socket.on('error', () => {}).once('data', () => socket.end(text)),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await problemOf(`ws://127.0.0.1:${String(port)}`)).toBe(`cannot be reached: ${reason}`);
    for (const each of links) each.close();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('what is asked of a relay', () => {
  it('is what matches, what it had before and what comes, and nothing else that it sends', async () => {
    const before = event(5_920, 'before');
    relay.events.push(before, event(1, 'a note'));
    const heard: string[] = [];
    const all = promised<void>();
    link({
      wants: () => ({ kinds: [5_920], since: 1_600_000_000 }),
      received: ({ content }) => {
        heard.push(content);
        if (content === 'after') all.keep();
      },
    });
    await relay.until(() => relay.filters.length === 1);
    relay.say(event(1, 'unasked'), true);
    for (const junk of [null, 7, [], { id: 5 }, { ...event(5_920, 'x'), tags: [[1]] }]) relay.say(junk, true);
    relay.say(event(5_920, 'after'));
    await all.done;
    expect(heard).toEqual(['before', 'after']);
  });

  it('is asked again over a new connection, as it is wanted then', async () => {
    let kinds = [5_920];
    const from = link({ wants: () => (kinds.length === 0 ? null : { kinds }) });
    await relay.until(() => relay.filters.length === 1);
    kinds = [7_920];
    relay.drop();
    await relay.until(() => relay.connections === 2 && relay.filters.length === 1);
    expect(relay.filters).toEqual([{ kinds: [7_920] }]);
    kinds = [];
    from.ask();
    await relay.until(() => relay.filters.length === 0);
    expect(relay.filters).toEqual([]);
  });
});
