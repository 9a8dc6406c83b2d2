import * as z from 'zod';
import { duration, name, text } from '../yaml/schema.ts';
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
  poll: duration
    .refine((milliseconds) => milliseconds >= 1_000, { error: 'at least 1s' })
    .optional()
    .describe('How long to wait before looking for answers again; default 60s.'),
};

const notPeople = { path: ['approvers'], error: 'names that `people` lists' };

function listsPeople({ people, approvers = [] }: { people: object; approvers?: string[] | undefined }) {
  return approvers.every((approver) => Object.hasOwn(people, approver));
}

const github = z
  .strictObject({
    kind: z.literal('github'),
    repository: z
      .string()
      .regex(/^[\w.-]+\/[\w.-]+$/, { error: 'a repository, such as acme/shop' })
      .describe('Whose issues are read, as owner/name.'),
    ...shared,
    label: text.optional().describe('Issues with this label are tasks; default mailroom.'),
    to: name.optional().describe('The role that gets the tasks; default: that of `start` of the protocol.'),
    base: text.optional().describe('The branch that pull requests are for; default: that of the repository.'),
    token: secret.optional().describe('The token of the API; default ${env.GITHUB_TOKEN}.'),
    api: z
      .string()
      .refine(isWebAddress, { error: 'an address such as https://github.example.com/api/v3' })
      .optional()
      .describe('The API of a GitHub Enterprise Server; default https://api.github.com.'),
    git: text.optional().describe('Where branches of pull requests are pushed; default: the remote origin.'),
  })
  .refine(listsPeople, notPeople)
  .meta({ title: 'GitHub channel' });

/** `channels:` of mailroom.yaml. */
export const channelSettings = z.record(name, z.discriminatedUnion('kind', [github], { error: 'github' }));

export function lowerChannels(
  input: z.output<typeof channelSettings> = {},
): ReadonlyMap<string, ChannelConfig> {
  return new Map(
    Object.entries(input).map(([channel, settings]) => {
      const { people, approvers = [], poll = 60_000, repository, ...given } = settings;
      const { label = 'mailroom', to = null, base = null, token = 'GITHUB_TOKEN', git = null } = given;
      const api = (given.api ?? 'https://api.github.com').replace(/\/+$/, '');
      const own = { kind: settings.kind, repository, label, to, base, token, api, git };
      const known = Object.entries(people).map(([who, role]) => [who.toLowerCase(), role] as const);
      const may = approvers.map((who) => who.toLowerCase());
      return [channel, { name: channel, people: new Map(known), approvers: may, poll, ...own }];
    }),
  );
}
