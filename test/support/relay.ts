import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { matchFilter, type Filter } from 'nostr-tools/filter';
import type { Event } from 'nostr-tools/pure';
import { WebSocketServer, type WebSocket } from 'ws';

type Message = readonly [string, ...unknown[]];

/** A relay of Nostr on the loopback interface: it keeps what it is sent, and hands it out by filter. */
export class TestRelay {
  readonly events: Event[] = [];
  /** What it says to an event that it does not take; null: it takes it. */
  refuses: (event: Event) => string | null = () => null;
  /** How many connections there ever were. */
  connections = 0;
  readonly #server: WebSocketServer;
  readonly #subscriptions = new Map<WebSocket, Map<string, Filter>>();
  readonly #waiting = new Set<() => void>();

  private constructor(server: WebSocketServer) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.connections += 1;
      this.#subscriptions.set(socket, new Map());
      socket.on('close', () => this.#subscriptions.delete(socket));
      socket.on('message', (data) => this.#hear(socket, JSON.parse((data as Buffer).toString()) as Message));
    });
  }

  /** `port` 0: wherever there is room. */
  static async open(port = 0): Promise<TestRelay> {
    const server = new WebSocketServer({ port, host: '127.0.0.1' });
    await once(server, 'listening');
    return new TestRelay(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `ws://127.0.0.1:${String(this.port)}`;
  }

  /** Hands an event to whoever asked for such, as if somebody had sent it. `raw`: to everybody, whatever it is. */
  say(event: unknown, raw = false): void {
    if (!raw) this.events.push(event as Event);
    for (const [socket, filters] of this.#subscriptions)
      for (const [id, filter] of filters)
        if (raw || matchFilter(filter, event as Event)) socket.send(JSON.stringify(['EVENT', id, event]));
  }

  /** What somebody asks for now. */
  get filters(): Filter[] {
    return [...this.#subscriptions.values()].flatMap((all) => [...all.values()]);
  }

  /** Resolves once something is so. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  /** Loses all connections. */
  drop(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  async close(): Promise<void> {
    this.drop();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #hear(socket: WebSocket, [word, first, second]: Message): void {
    if (word === 'EVENT') this.#take(socket, first as Event);
    if (word === 'CLOSE') this.#subscriptions.get(socket)?.delete(String(first));
    if (word === 'REQ') {
      this.#subscriptions.get(socket)?.set(String(first), second as Filter);
      for (const event of this.events)
        if (matchFilter(second as Filter, event)) socket.send(JSON.stringify(['EVENT', first, event]));
      socket.send(JSON.stringify(['EOSE', first]));
    }
    for (const tell of this.#waiting) tell();
    this.#waiting.clear();
  }

  #take(socket: WebSocket, event: Event): void {
    const reason = this.refuses(event);
    socket.send(JSON.stringify(['OK', event.id, reason === null, reason ?? '']));
    if (reason === null && !this.events.some(({ id }) => id === event.id)) this.say(event);
  }
}
