import * as z from 'zod';
import { channelSettings } from './channels.ts';
import { providerKinds } from './config.ts';
import { nipSettings } from './nip.ts';
import { profiles } from './profiles.ts';
import {
  argv,
  branchName,
  duration,
  limits,
  name,
  roleDefaults,
  text,
  variableNames,
  wholeNumber,
} from '../yaml/schema.ts';

const price = z.number({ error: 'a number of dollars' }).min(0, { error: 'at least 0' });

const prices = z
  .strictObject({
    input: price.describe('Dollars for a million tokens that are read.'),
    cached: price.optional().describe('The same, where the vendor still had them; default: as `input`.'),
    written: price.optional().describe('The same, where the vendor caches them; default: as `input`.'),
    output: price.describe('Dollars for a million tokens that are written.'),
  })
  .meta({ title: 'price list' });

const aNotifier = 'a command as a list, or { command: [program, arguments], env: [NAME] }';

/** A command for notifications; parsed with the variables that it may see. */
const notifier = z
  .union(
    [
      argv,
      z
        .strictObject({
          command: argv.describe('The program and its arguments.'),
          env: variableNames()
            .optional()
            .describe('Names, or PREFIX_*, of variables that the program may see besides the usual ones.'),
        })
        .meta({ title: 'notification command' }),
    ],
    { error: aNotifier },
  )
  .transform((input) =>
    Array.isArray(input) ? { command: input, env: [] } : { command: input.command, env: input.env ?? [] },
  );

const provider = z
  .strictObject({
    kind: z
      .enum(providerKinds)
      .optional()
      .describe('How the program is talked to; default: the built-in one of that name, else command.'),
    command: argv
      .optional()
      .describe('The program and its first arguments. The kinds `acp` and `command` need it.'),
    arguments: z.array(z.string()).optional().describe('Arguments that come after all others.'),
    env: variableNames().optional().describe('Names, or PREFIX_*, of variables that the program may see.'),
    writable: z
      .array(text)
      .optional()
      .describe('Folders besides its workspace that the program must be able to write.'),
    tests: z.array(text).optional().describe('Command lines that RUN_TESTS allows, by their first words.'),
    prices: prices.optional().describe('For a program that reports tokens but no cost; for every model.'),
    exit_grace: duration
      .optional()
      .describe('How long an agent CLI may take to exit after its final event; default 10s.'),
    system_prompt: z
      .enum(['own', 'short'])
      .optional()
      .describe(
        "own (default): the program's; short: two sentences instead, which make each call of the model cheaper.",
      ),
  })
  .meta({ title: 'provider' });

const trailError = 'off, or a mapping with the branch: { branch: mailroom-trail }';

const aQueue =
  'redis://… or rediss://… (Redis or Valkey, not PostgreSQL), or ${env.NAME} for the variable that has it';

const workers = z
  .strictObject({
    queue: z
      .string({ error: aQueue })
      .regex(/^(?:rediss?:\/\/\S+|\$\{env\.[A-Za-z_][A-Za-z0-9_]*\})$/, { error: aQueue })
      .optional()
      .describe('The address of the queue; default: the variable MAILROOM_QUEUE.'),
    git: text
      .optional()
      .describe('The git repository that all hosts can reach; default: the remote `origin`.'),
    lease: duration
      .refine((milliseconds) => milliseconds >= 5_000, { error: 'at least 5s' })
      .optional()
      .describe('How long a silent worker keeps its turns; default 120s.'),
  })
  .meta({ title: 'set of worker settings' });

/** mailroom.yaml: the settings of the whole project. */
export const configFile = z
  .strictObject({
    $schema: z.string().optional().describe('For editors.'),
    providers: z
      .record(name, provider)
      .optional()
      .describe('Programs that roles may name as their provider.'),
    prices: z
      .record(text, prices)
      .optional()
      .describe('Prices of models, by name or the beginning of one, over those that are built in.'),
    defaults: z
      .strictObject({
        ...roleDefaults,
        max_tokens: wholeNumber(1)
          .optional()
          .describe('What shims of orchestrate workflows get as --max-tokens; default 4000.'),
      })
      .meta({ title: 'set of defaults' })
      .optional()
      .describe('What holds for every role that does not say otherwise.'),
    agents: profiles.optional().describe('Settings of agents by name: roles and steps say `agent: <name>`.'),
    trail: z
      .union(
        [
          z.literal('off'),
          z
            .strictObject({
              branch: branchName.describe('Default mailroom-trail.'),
            })
            .meta({ title: 'trail' }),
        ],
        { error: trailError },
      )
      .optional()
      .describe('The branch that the history of the mail is written to, or off.'),
    protected: z
      .array(text)
      .optional()
      .describe('Branches, or globs of them, that work lands on only once a person has approved it.'),
    sandbox: z
      .enum(['auto', 'required', 'off'])
      .optional()
      .describe('auto (default): where there is one; required: nothing runs without; off: never.'),
    capabilities: z
      .enum(['widen', 'strict'])
      .optional()
      .describe(
        'Whether a provider that grants more than requested is a warning (widen, the default) or an error (strict).',
      ),
    limits: limits.optional().describe('What ends a loop of mail, where the protocol does not say.'),
    concurrency: wholeNumber(1)
      .optional()
      .describe(
        'Agents of one host at once: turns of roles and agents of workflows; default: the number of cores.',
      ),
    keep: z
      .union([z.literal('all'), duration], { error: 'all, or a duration such as 30d' })
      .optional()
      .describe('How much of the past the journals keep for `--at`: all (the default), or so long.'),
    webhooks: z
      .strictObject({
        port: wholeNumber(0)
          .max(65_535, { error: 'at most 65535' })
          .describe('Default 6245; 0: any free one.'),
      })
      .meta({ title: 'set of webhook settings' })
      .optional()
      .describe('Where triggers of workflows are called, on the loopback interface.'),
    inbox_patterns: z
      .array(z.string().regex(/^[^/.\s][^/\s]*$/, { error: "a pattern for file names, such as '*.txt'" }))
      .optional()
      .describe('Names of files in an inbox that are messages, besides *.md.'),
    notify: z
      .record(
        z.string().regex(/^[a-z][a-z0-9+.-]*$/, { error: '`user` or a scheme in small letters' }),
        notifier,
      )
      .optional()
      .describe(
        'Commands for notifications: `user` when a person gets mail or a gate waits, others by scheme.',
      ),
    mcp: z
      .enum(['on', 'off'])
      .optional()
      .describe(
        'on: turns of agent CLIs get tools that do what files in the staging folder do; default off.',
      ),
    nip: nipSettings.optional().describe('Settings of the workflow language nip.'),
    workers: workers
      .optional()
      .describe('Worker hosts, which run the turns of roles with `on: workers`: docs/workers.md.'),
    channels: channelSettings
      .optional()
      .describe('Where people read their mail and answer it besides their inboxes: docs/channels.md.'),
  })
  .meta({ title: 'configuration' });

export type ConfigFile = z.output<typeof configFile>;
export type ProviderInput = z.output<typeof provider>;
