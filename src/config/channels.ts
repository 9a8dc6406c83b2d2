import * as z from 'zod';
import { argv, duration, name, text, variableNames } from '../yaml/schema.ts';
import type { ChannelConfig } from './config.ts';

/** Unencrypted connections are accepted on the loopback interface only. */
function isWebAddress(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isHere);
}

const aVariable = '${env.NAME}, since this file holds no secrets';

/** Parsed to the name of the variable. */
const secret = z
  .string({ error: aVariable })
  .regex(/^\$\{env\.[A-Za-z_][A-Za-z0-9_]*\}$/, { error: aVariable })
  .transform((value) => value.slice('${env.'.length, -1));

const anAddress = z
  .string({ error: 'an address, such as team@example.com' })
  .regex(/^[^\s@<>]+@[^\s@<>]+$/, { error: 'an address, such as team@example.com' });

function server(scheme: 'smtp' | 'imap') {
  const error = `an address such as ${scheme}s://mail.example.com, without a name and password`;
  const isServer = (value: string) => {
    if (!URL.canParse(value)) return false;
    const { protocol, hostname, username, password, pathname } = new URL(value);
    const isWhole = hostname !== '' && ['', '/'].includes(pathname) && `${username}${password}` === '';
    return isWhole && (protocol === `${scheme}:` || protocol === `${scheme}s:`);
  };
  return z.string({ error }).refine(isServer, { error });
}

const aLogin = 'names on the channel with their human roles, such as { ada: user }';

const shared = {
  people: z
    .record(text, name, { error: aLogin })
    .refine((people) => Object.keys(people).length > 0, { error: aLogin })
    .describe('Who may speak there, by their name on the channel, and as which human role.'),
  approvers: z
    .array(text)
    .optional()
    .describe('The names on the channel that may approve and reject there; default: none.'),
  to: name.optional().describe('The role that gets the tasks; default: that of `start` of the protocol.'),
  poll: duration
    .refine((milliseconds) => milliseconds >= 1_000, { error: 'at least 1s' })
    .optional()
    .describe('How long to wait before looking for answers again; default 60s.'),
};

/** Approvers are people, too; as custom check, so that each is marked itself. */
function approversArePeople(context: z.core.ParsePayload<Listed>): void {
  const { people, approvers = [] } = context.value;
  const known = Object.keys(people);
  for (const [index, approver] of approvers.entries()) {
    if (Object.hasOwn(people, approver)) continue;
    const message = `a name that \`people\` lists: ${known.join(', ')}`;
    context.issues.push({ code: 'custom', message, path: ['approvers', index], input: approver });
  }
}

interface Listed {
  readonly people: Readonly<Record<string, string>>;
  readonly approvers?: readonly string[] | undefined;
}

const github = z
  .strictObject({
    kind: z.literal('github').describe('Issues and pull requests of a repository on GitHub.'),
    repository: z
      .string()
      .regex(/^[\w.-]+\/[\w.-]+$/, { error: 'a repository, such as acme/shop' })
      .describe('Whose issues are read, as owner/name.'),
    ...shared,
    label: text.optional().describe('Issues with this label are tasks; default mailroom.'),
    base: text.optional().describe('The branch that pull requests are for; default: that of the repository.'),
    token: secret.optional().describe('The token of the API; default ${env.GITHUB_TOKEN}.'),
    api: z
      .string()
      .refine(isWebAddress, { error: 'an address such as https://github.example.com/api/v3' })
      .optional()
      .describe('The API of a GitHub Enterprise Server; default https://api.github.com.'),
    git: text.optional().describe('Where branches of pull requests are pushed; default: the remote origin.'),
  })
  .check(approversArePeople)
  .meta({ title: 'GitHub channel' });

const email = z
  .strictObject({
    kind: z.literal('email').describe('A mailbox of its own, by SMTP and IMAP.'),
    address: anAddress.describe('The address of the mailbox, which mail is from.'),
    ...shared,
    smtp: server('smtp').describe('Where mail is sent: smtps://host, or smtp://host with STARTTLS.'),
    imap: server('imap').describe('Where mail is read: imaps://host, or imap://host with STARTTLS.'),
    verified_by: text.describe('The server whose Authentication-Results say who a mail is from.'),
    login: text.optional().describe('The name of the account; default: the address.'),
    password: secret.optional().describe('The password of the account; default ${env.MAIL_PASSWORD}.'),
  })
  .check(approversArePeople)
  .meta({ title: 'e-mail channel' });

const { poll: _poll, ...withoutPoll } = shared;

const command = z
  .strictObject({
    kind: z.literal('command').describe('A program of your own that talks to a service.'),
    command: argv.describe('The program and its arguments.'),
    ...withoutPoll,
    env: variableNames()
      .optional()
      .describe('Names, or PREFIX_*, of variables that the program may see besides the usual ones.'),
  })
  .check(approversArePeople)
  .meta({ title: 'channel of your own' });

/** The variables without which a channel does not work. A program decides for itself. */
export function requiredVariables(channel: ChannelConfig): readonly string[] {
  return channel.kind === 'command'
    ? channel.env.filter((variable) => !variable.endsWith('*'))
    : [channel.secret];
}

/** `channels:` of mailroom.yaml. */
export const channelSettings = z.record(
  name,
  z.discriminatedUnion('kind', [github, email, command], { error: 'github, email or command' }),
);

type ChannelInput = z.output<typeof channelSettings>[string];

export function lowerChannels(
  input: Readonly<Record<string, ChannelInput>> = {},
): ReadonlyMap<string, ChannelConfig> {
  return new Map(Object.entries(input).map(([channel, settings]) => [channel, lowered(channel, settings)]));
}

function lowered(channel: string, settings: ChannelInput): ChannelConfig {
  const { approvers = [], to = null } = settings;
  const poll = settings.kind === 'command' ? 60_000 : (settings.poll ?? 60_000);
  const people = Object.entries(settings.people).map(([who, role]) => [who.toLowerCase(), role] as const);
  const may = approvers.map((who) => who.toLowerCase());
  const basis = { name: channel, people: new Map(people), approvers: may, poll, to };
  if (settings.kind === 'email') {
    const { kind, smtp, imap, password = 'MAIL_PASSWORD', verified_by: verifiedBy } = settings;
    const address = settings.address.toLowerCase();
    const login = settings.login ?? settings.address;
    return { ...basis, kind, address, smtp, imap, login, secret: password, verifiedBy };
  }
  if (settings.kind === 'command')
    return { ...basis, kind: settings.kind, command: settings.command, env: settings.env ?? [] };
  const { kind, repository, label = 'mailroom', base = null, git = null, token = 'GITHUB_TOKEN' } = settings;
  const api = (settings.api ?? 'https://api.github.com').replace(/\/+$/, '');
  return { ...basis, kind, repository, label, base, secret: token, api, git };
}
