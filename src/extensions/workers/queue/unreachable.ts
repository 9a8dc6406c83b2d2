/** Why a queue cannot be reached, and what to do. Names no password. */
export function unreachable(
  url: string,
  reason: string,
): { readonly problem: string; readonly hint: string } {
  const why = reason === '' ? 'it does not answer' : reason;
  const known = hints.find(({ says, at }) => says.test(why) && (at === undefined || url.startsWith(at)));
  return {
    problem: `the queue at ${new URL(url).host} cannot be reached: ${why}`,
    hint:
      known?.hint ??
      'start the server, or correct the address: `workers.queue` in mailroom.yaml, or MAILROOM_QUEUE',
  };
}

interface Hint {
  /** What the reason says. */
  readonly says: RegExp;
  /** How the address begins; absent: in any way. */
  readonly at?: string;
  readonly hint: string;
}

const hints: readonly Hint[] = [
  { says: /NOAUTH|WRONGPASS|AUTH/, hint: 'check the password in the address: redis://:password@host:6379' },
  { says: /wrong version number|EPROTO|ssl/i, hint: 'it does not use TLS: begin the address with redis://' },
  // A server without TLS waits for the rest of what it takes for a command.
  { says: /ETIMEDOUT/, at: 'rediss:', hint: 'if it does not use TLS, begin the address with redis://' },
  {
    says: /ECONNRESET|closed|Protocol error/i,
    at: 'redis:',
    hint: 'if it uses TLS, begin the address with rediss://',
  },
  {
    says: /certificate|self-signed|altnames/i,
    hint: 'name the certificate of its authority in NODE_EXTRA_CA_CERTS',
  },
];
