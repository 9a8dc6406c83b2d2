import { ownValue } from '../kernel/own.ts';
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
export function relayFailure({ code, message }: Error & { readonly code?: string }): string {
  const known = ownValue(reasons, code ?? '') ?? words.find(([pattern]) => pattern.test(message))?.[1];
  const shown = code === undefined || code.startsWith('WS_') ? '' : ` (${code})`;
  if (known !== undefined) return `${known}${shown}`;
  const [, status] = /^Unexpected server response: (\d+)$/.exec(message) ?? [];
  if (status !== undefined) return `no relay is at this address: it answers with HTTP status ${status}`;
  if (foreign.test(code ?? message)) return 'it does not speak as relays do';
  if (/CERT|SELF_SIGNED|SSL|TLS/.test(code ?? '')) return `its certificate is not accepted${shown}`;
  return message === '' ? `it does not answer${shown}` : message;
}
