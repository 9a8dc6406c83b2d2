import { WebSocket } from 'ws';
import type { NostrEvent } from '../letters/nostr-event.ts';
import { readRelayMessage, type RelayMessage } from '../letters/read.ts';
import { isWanted, type RelayFilter } from './relay-messages.ts';
import { ownValue } from '../../../kernel/own.ts';

export interface RelayLinkOptions {
  /** Called whenever a connection is open; null: no events are wanted. */
  readonly wants?: () => RelayFilter | null;
  /** Receives a wanted event, unverified, possibly repeated. */
  readonly received?: (event: NostrEvent) => void;
  /** The relay has sent all its stored events. */
  readonly caughtUp?: () => void;
  /**
   * The relay has accepted an event (an empty answer), or permanently refused it, with the reason.
   */
  readonly answered?: (id: string, answer: string) => void;
  /** It could not be reached; the link retries. */
  readonly away?: () => void;
  /** Milliseconds before successive reconnections; the last one repeats. */
  readonly pauses?: readonly number[];
}

const usualPauses = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
/** The maximum size of a relay's message, in bytes, and the timeout of opening, in milliseconds. */
const limits = { maxPayload: 1024 * 1024, handshakeTimeout: 10_000, perMessageDeflate: false };
/** Answers after which a relay may accept the event later. */
const passing = /^(?:rate-limited|error):/;
const subscription = 'mailroom';

/**
 * Keeps one relay connected, sends each event until the relay has accepted or refused it, and
 * subscribes to wanted events. Keeps no program running between two connections, and throws
 * nothing.
 */
export class RelayLink {
  readonly url: string;
  readonly #options: RelayLinkOptions;
  /** Events without an answer of the relay. */
  readonly #open = new Map<string, NostrEvent>();
  readonly #refused = new Map<string, string>();
  #filter: RelayFilter | null = null;
  #socket: WebSocket;
  #failure: string | null = null;
  /** The current connection, or attempt, was open. */
  #wasOpen = false;
  #lost = 0;
  #timer: NodeJS.Timeout | null = null;
  #resend: NodeJS.Timeout | null = null;
  /** How often in a row the relay has put events off. */
  #put = 0;
  #closed = false;
  #onAnswered: () => void = () => {};

  constructor(url: string, options: RelayLinkOptions = {}) {
    this.url = url;
    this.#options = options;
    this.#socket = this.#connect();
  }

  /** Why the relay is not usable; null: no problem. */
  get problem(): string | null {
    if (this.#failure !== null) return `the relay ${this.url} ${this.#failure}`;
    const [reason] = this.#refused.values();
    return reason === undefined ? null : `the relay ${this.url} refuses an event: ${reason}`;
  }

  publish(events: readonly NostrEvent[]): void {
    for (const event of events) {
      this.#open.set(event.id, event);
      this.#say('EVENT', event);
    }
  }

  /** The number of events without an answer. */
  get open(): number {
    return this.#open.size;
  }

  /** Whether an event was sent and is unanswered. */
  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  /**
   * Resolves when the relay has answered every event, or cannot be reached; at the latest after
   * this many milliseconds. Between two connections it reconnects at once.
   */
  async answers(atMost: number): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#failure ??= `has not answered within ${String(atMost / 1_000)} s`;
        resolve();
      }, atMost);
      this.#onAnswered = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#timer !== null) this.#again();
    });
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#resend !== null) clearTimeout(this.#resend);
    this.#socket.close();
    this.#onAnswered();
  }

  #connect(): WebSocket {
    this.#wasOpen = false;
    const socket = new WebSocket(this.url, limits);
    socket.on('open', () => this.#opened());
    socket.on('message', (data, isBinary) => {
      const message = isBinary ? null : readRelayMessage((data as Buffer).toString('utf8'));
      if (message?.ok === true) this.#hear(message.value);
    });
    // Keeps the reason; `close` reports the loss itself. Errors from closing it are not the
    // relay's.
    socket.on('error', (error) => {
      if (!this.#closed) this.#failure = `cannot be reached: ${relayFailure(error)}`;
    });
    socket.on('close', () => this.#gone());
    return socket;
  }

  #opened(): void {
    this.#failure = null;
    this.#wasOpen = true;
    this.#lost = 0;
    this.ask();
    this.#sendOpen();
  }

  /** Subscribes to the wanted events; call it again when they have changed. */
  ask(): void {
    const before = this.#filter;
    this.#filter = this.#options.wants?.() ?? null;
    if (this.#filter !== null) this.#say('REQ', subscription, this.#filter);
    else if (before !== null) this.#say('CLOSE', subscription);
  }

  #say(...message: readonly unknown[]): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #hear(message: RelayMessage): void {
    switch (message.is) {
      case 'event':
        if (this.#filter !== null && isWanted(message.event, this.#filter))
          this.#options.received?.(message.event);
        return;
      case 'answer':
        return this.#answered(message);
      case 'caught-up':
        return this.#options.caughtUp?.();
      case 'closed':
        this.#failure = `does not say what it is asked for: ${message.reason}`;
    }
  }

  #answered({ id, accepted, reason }: Extract<RelayMessage, { is: 'answer' }>): void {
    if (!this.#open.has(id)) return;
    const taken = accepted || reason.startsWith('duplicate:');
    if (taken) this.#put = 0;
    if (taken) this.#refused.delete(id);
    else this.#refused.set(id, reason === '' ? 'it does not say why' : reason);
    if (!taken && passing.test(reason)) return this.#later();
    this.#open.delete(id);
    this.#options.answered?.(id, this.#refused.get(id) ?? '');
    if (this.#open.size === 0) this.#onAnswered();
  }

  /** Sends events again, after a pause, that the relay may accept later. */
  #later(): void {
    if (this.#resend !== null) return;
    this.#resend = setTimeout(() => {
      this.#resend = null;
      this.#sendOpen();
    }, this.#pause(this.#put));
    this.#put += 1;
    this.#resend.unref();
  }

  #sendOpen(): void {
    for (const event of this.#open.values()) this.#say('EVENT', event);
  }

  #pause(before: number): number {
    const pauses = this.#options.pauses ?? usualPauses;
    return pauses[Math.min(before, pauses.length - 1)] ?? 0;
  }

  #gone(): void {
    if (this.#closed) return;
    this.#failure ??= 'has ended the connection';
    this.#timer = setTimeout(() => this.#again(), this.#pause(this.#lost));
    this.#lost += 1;
    this.#timer.unref();
    if (this.#wasOpen) return;
    this.#onAnswered();
    this.#options.away?.();
  }

  #again(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#socket = this.#connect();
  }
}

/** Why a relay cannot be reached, by error code. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing accepts connections at this address',
  ECONNRESET: 'it has ended the connection',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name cannot be looked up now',
  ETIMEDOUT: 'it does not answer in time',
  EHOSTUNREACH: 'there is no way to its host',
  ENETUNREACH: 'there is no way to its network',
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 'it sends a message that is longer than 1 MiB',
};

/** The same, by the message of the connection library. */
const words: readonly (readonly [RegExp, string])[] = [
  [/handshake has timed out/, 'it does not answer in time'],
  [/socket hang up|TLS connection was established/, 'it has ended the connection'],
];

/** Codes and messages for servers that answer, but not as relays. */
const foreign =
  /^(?:HPE_|WS_ERR_|EPROTO|ERR_SSL_WRONG_VERSION)|websocket|subprotocol|extension|upgrade header/i;

/** Why a relay cannot be reached, in plain words, with the system's error code if there is one. */
function relayFailure({ code, message }: Error & { readonly code?: string }): string {
  const known = ownValue(reasons, code ?? '') ?? words.find(([pattern]) => pattern.test(message))?.[1];
  const shown = code === undefined || code.startsWith('WS_') ? '' : ` (${code})`;
  if (known !== undefined) return `${known}${shown}`;
  const [, status] = /^Unexpected server response: (\d+)$/.exec(message) ?? [];
  if (status !== undefined) return `no relay is at this address: it answers with HTTP status ${status}`;
  if (foreign.test(code ?? message)) return 'it does not speak as relays do';
  if (/CERT|SELF_SIGNED|SSL|TLS/.test(code ?? '')) return `its certificate is not accepted${shown}`;
  return message === '' ? `it does not answer${shown}` : message;
}
