import * as z from 'zod';
import {
  agentConfiguration,
  argv,
  branchName,
  budget,
  duration,
  environment,
  limits,
  name,
  network,
  oneOrMore,
  onWorkers,
  roleDefaults,
  text,
  wholeNumber,
} from '../../yaml/schema.ts';
import { toolsName } from '../../kernel/mcp.ts';
import { landingWays } from '../../kernel/work.ts';

const aPerson = 'a human role, or { person: user, timeout: 1h }';

const role = z
  .strictObject({
    agent: name
      .optional()
      .describe('The agent of mailroom.yaml or agents.yaml whose settings it has where it sets none itself.'),
    ...roleDefaults,
    network,
    env: environment,
    on: onWorkers
      .optional()
      .describe('workers, or the labels that a worker must have: its turns run there; default: here.'),
    ...agentConfiguration,
    mcp: z
      .union([z.literal('on'), agentConfiguration.mcp.unwrap()], {
        error: 'on, or a list of names, such as [github]',
      })
      .transform((given) => (given === 'on' ? [toolsName] : given))
      .optional()
      .describe(
        'MCP servers of your own settings of its CLI that it may use, and `mailroom`, whose tools send messages, too; on: that one. Default: none.',
      ),
    ask: z
      .union(
        [
          name,
          z
            .strictObject({
              person: name.describe('The human role that is asked.'),
              timeout: duration
                .optional()
                .describe(
                  'How long to wait for an answer before it is refused; default: as long as it takes.',
                ),
            })
            .meta({ title: 'asked person' }),
        ],
        { error: aPerson },
      )
      .optional()
      .describe(
        'Who decides about a tool use that the capabilities neither allow nor forbid; default: it is refused.',
      ),
    kinds: z
      .array(wholeNumber(0).max(65_535, { error: 'at most 65535' }))
      .optional()
      .describe('Kinds of tasks that the role does for workflows of the language nip: [5100].'),
    expects: z
      .lazy(() => clauses)
      .optional()
      .describe('When the role may be invoked; default: any one message that it accepts.'),
  })
  .meta({ title: 'role' });

const recipientsError = 'a role, a list of roles, or all: [roles]';
const atLeastTwo = 'a list of at least two roles';

const recipients = z
  .union(
    [
      name,
      z.array(name).min(1, { error: recipientsError }),
      z
        .strictObject({
          all: z
            .array(name, { error: atLeastTwo })
            .min(2, { error: atLeastTwo })
            .describe('Roles that every such message goes to together.'),
        })
        .meta({ title: 'set of recipients' }),
    ],
    { error: recipientsError },
  )
  .transform((value) => (typeof value === 'string' ? [value] : value));

const types = oneOrMore(name, 'a message type or a list of them');
const roles = oneOrMore(name, 'a role or a list of roles');

const clauses = z.array(
  z.union(
    [
      z.strictObject({ any: types.describe('One message of any of these types.') }).meta({ title: 'clause' }),
      z
        .strictObject({ all: types.describe('One message of each of these types, within one thread.') })
        .meta({ title: 'clause' }),
    ],
    { error: 'a clause: either any: [types] or all: [types]' },
  ),
);

const gate = z.union(
  [
    z
      .strictObject({
        run: argv.describe('A program and its arguments that must succeed in the workspace.'),
        timeout: duration.optional().describe('How long it may take; default 5m.'),
        on: z
          .enum(['own', 'merged'], { error: 'own or merged' })
          .optional()
          .describe("The work that the message carries (own, default), or its merge with all other roles'."),
      })
      .meta({ title: 'gate' }),
    z
      .strictObject({
        changed: oneOrMore(text, 'a list of globs').describe(
          "Globs of which one must have changed since the thread's first turn.",
        ),
      })
      .meta({ title: 'gate' }),
  ],
  { error: 'a gate: either run: [program, arguments] or changed: [globs]' },
);

const field = z
  .strictObject({
    type: z
      .enum(['string', 'number', 'integer', 'boolean', 'list', 'object'])
      .describe('What the value is: string, number, integer, boolean, list or object.'),
    enum: z
      .array(z.json())
      .min(1, { error: 'a list of at least one value' })
      .optional()
      .describe('The values that are allowed.'),
    required: z.boolean().optional().describe('Whether it must be there; default false.'),
    default: z.json().optional().describe('What holds when it is not there.'),
    description: text.optional().describe('Its meaning, for the author of such a message.'),
  })
  .meta({ title: 'field' });

const landsError = 'a branch, or { branch, by: merge | rebase | squash }';

const lands = z.union(
  [
    branchName,
    z
      .strictObject({
        branch: branchName.describe('The branch that the work of such a message lands on.'),
        by: z
          .enum(landingWays)
          .optional()
          .describe('merge (default), rebase: its commits one by one, or squash: as one commit.'),
      })
      .meta({ title: 'landing' }),
  ],
  { error: landsError },
);

const messageType = z
  .strictObject({
    from: roles.describe('Who may send it: a role or a list of roles.'),
    to: recipients.describe('Who may get it: a role or a list of roles.'),
    reply: types.optional().describe('The types that answer it: with them, it is a request.'),
    blocking: z
      .literal([true, false, 'role', 'thread'])
      .optional()
      .describe('What waits for the answer: role (or true, the default), thread, or false: nothing.'),
    timeout: duration.optional().describe('How long to wait for the answer; default: as long as it takes.'),
    on_timeout: z
      .enum(['escalate', 'proceed', 'fail'])
      .optional()
      .describe('What happens then; default: escalate to another role that may answer, else fail.'),
    escalate_to: name.optional().describe('Who gets the request when it is escalated; default user.'),
    gates: z.array(gate).optional().describe('Evidence that is checked before a turn may send it.'),
    fields: z.record(name, field).optional().describe('What its front matter says under `fields`.'),
    closes: z.boolean().optional().describe('Whether it ends the thread; default false.'),
    lands: lands.optional().describe('The branch that its work lands on before it is delivered.'),
    thread: z
      .literal('new', { error: 'new' })
      .optional()
      .describe('new: each such request opens a sub-thread, in which it is worked on and answered.'),
    join: z
      .literal('all', { error: 'all' })
      .optional()
      .describe('all (default): the sender continues when every sub-thread of its turn has answered.'),
    fan_out: wholeNumber(1)
      .optional()
      .describe('How many such sub-threads a thread may have open at once; default 5.'),
    budget: budget
      .optional()
      .describe(
        'What each sub-thread may cost, reserved from the budget of its thread; default: they share it.',
      ),
  })
  .meta({ title: 'message type' });

const start = z
  .strictObject({
    type: name.describe('The message type of a plain file that a person drops.'),
    to: name.describe('The role that it starts with.'),
  })
  .meta({ title: 'start' });

const workspaceError = 'a folder, worktree, or { worktree: role }';

const workspace = z.union(
  [
    text,
    z
      .strictObject({
        worktree: z
          .literal('role', { error: 'role' })
          .describe('role: each role of a thread has a git worktree and a branch of its own.'),
        base: text
          .optional()
          .describe('The commit that the branches begin at, by any name that git knows; default: HEAD.'),
        on_conflict: z
          .enum(['resolve', 'author', 'user'], { error: 'resolve, author or user' })
          .optional()
          .describe(
            'Who resolves conflicts: the role that picks up the work (resolve, default), the author of the later work, or user.',
          ),
      })
      .meta({ title: 'workspace' }),
  ],
  { error: workspaceError },
);

/**
 * One file in protocols/. Several files together make the protocol, so no key is required in a
 * single one.
 */
export const protocolFile = z
  .strictObject({
    $schema: z.string().optional().describe('For editors.'),
    extends: oneOrMore(text, 'a file or folder, or a list of them')
      .optional()
      .describe(
        'Files or folders whose definitions this file takes and may replace: ./base.yaml, package/file.yaml.',
      ),
    name: text.optional().describe('What the protocol is called.'),
    version: text.optional().describe('Its version, as a string: "1".'),
    workspace: workspace
      .optional()
      .describe(
        'Where the agents work: `.` (default), a folder of the project, worktree: one git worktree per thread, or { worktree: role }: one for each role in a thread.',
      ),
    roles: z.record(name, role).optional().describe('Who does work. `user` and `workflow` are built in.'),
    messages: z
      .record(name, messageType)
      .optional()
      .describe(
        'What may be sent by whom to whom. `notice`, `step` and `step-result` are built in; `question` and `answer` are where neither is defined.',
      ),
    expects: z
      .record(name, clauses)
      .optional()
      .describe('By role: when it may be invoked; default: any one message that it accepts.'),
    limits: limits.optional().describe('What ends a loop of mail.'),
    start: start.optional().describe('What a plain file in an inbox is.'),
  })
  .meta({ title: 'protocol' });

export type ProtocolFile = z.output<typeof protocolFile>;
export type RoleInput = z.output<typeof role>;
export type MessageTypeInput = z.output<typeof messageType>;
export type ClauseInput = z.output<typeof clauses>[number];
