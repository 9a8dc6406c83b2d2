import { ChannelHost, type ChannelPorts } from '../channels/host/channel-host.ts';
import { Marks } from '../channels/host/marks.ts';
import { openMemory, writeMemory } from '../channels/host/memory-files.ts';
import type { ChannelConfig, CommandChannel } from '../config/config.ts';
import type { Disk } from '../disk/disk.ts';
import { projectKey } from '../host/project-key.ts';
import type { Diagnostic } from '../kernel/diagnostic.ts';
import { MailroomError } from '../kernel/errors.ts';
import { ownValue } from '../kernel/own.ts';
import { channelItems } from './items.ts';
import { channelProblems } from '../project/channel-problems.ts';
import { referred } from '../mail/questions/reference.ts';
import { ask } from '../mail/questions/requests.ts';
import { commandRun } from '../workflow/questions/commands.ts';
import type { Project } from '../project/project.ts';
import { replyAs, sendAs } from '../mail/questions/speak.ts';
import { ProblemsError } from '../project/definition/problems.ts';
import type { LoopHints, UpWorkflows } from '../workflow/host/up-work.ts';
import { fieldValue } from '../mail/questions/given-fields.ts';
import { nameOf } from '../mail/questions/sending.ts';
import type { Standing } from '../channels/machine/decide.ts';
import { money } from '../kernel/cost.ts';
import { counted } from '../kernel/enumerate.ts';
import type { ThreadId } from '../kernel/ids.ts';
import type { MailWhy } from '../mail/machine/explain/words.ts';
import type { Thread, ThreadState } from '../mail/machine/state.ts';
import { isMoving } from '../documents/explained.ts';
import { mailExplainer } from '../mail/questions/held.ts';
import { createHash } from 'node:crypto';
import type { StartProgram } from '../channels/command/session.ts';
import type { Channel } from '../channels/machine/contract.ts';
import type { Hooks, OpenChannel } from '../project/definition/hooks.ts';
import { buildEnvironment } from '../process/sandbox/environment.ts';
import { projectSecrets } from '../workflow/host/secrets.ts';

/**
 * The same with the channels of the project beside. Throws `ProblemsError` for roles that are not
 * people, and `E_USAGE` for a missing secret.
 */
export async function withChannels(
  workflows: UpWorkflows,
  project: Project,
  hints: LoopHints,
): Promise<UpWorkflows> {
  try {
    const { notes, hosts } = await openHosts(project, hints);
    const wake = () => {
      for (const host of hosts) host.wake();
    };
    wake();
    return {
      ...workflows,
      notes: [...workflows.notes, ...notes],
      problems: () => [...workflows.problems(), ...hosts.flatMap((host) => host.problems())],
      recoveries: () => hosts.flatMap((host) => host.recoveries()),
      received: (messages) => {
        workflows.received(messages);
        wake();
      },
      elsewhere: {
        get isFresh() {
          return hosts.every((host) => host.isFresh);
        },
        refresh: () => {
          for (const host of hosts) host.refresh();
        },
      },
      isTalking: () => workflows.isTalking() || hosts.some((host) => host.isTalking),
      close: async () => {
        await Promise.all(hosts.map((host) => host.close()));
        await workflows.close();
      },
    };
  } catch (error) {
    await workflows.close();
    throw error;
  }
}

async function openHosts(current: Project, hints: LoopHints) {
  const {
    disk,
    settings: { environment, hooks },
  } = current;
  const definition = await current.definition();
  if (!definition.ok) throw new ProblemsError(definition.problems);
  // Channels obey the protocol and settings of the start, as the controller does.
  const project = current.keeping(definition);
  const { protocol, config } = definition.value;
  const notes: string[] = [];
  const hosts: ChannelHost[] = [];
  const marks = new Marks(projectKey(disk));
  if (config.channels.size > 0) {
    const text = project.files.read('mailroom.yaml') ?? '';
    const wrong = channelProblems(text, config, protocol, environment).filter(isError);
    if (wrong.length > 0) throw new ProblemsError(wrong);
  }
  for (const settings of config.channels.values()) {
    const channel = await openChannel(settings, hooks, { disk, marks, environment });
    const { memory, problem } = openMemory(disk, settings.name, Date.now());
    if (problem !== null) notes.push(problem);
    const ports = portsOf(disk, project, settings, hints);
    hosts.push(new ChannelHost(settings, channel, { marks, memory, ports }));
  }
  return { notes, hosts };
}

function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}

function portsOf(
  disk: Disk,
  project: Project,
  settings: ChannelConfig,
  { wake, failed }: LoopHints,
): ChannelPorts {
  const now = Date.now;
  const roles = new Set(settings.people.values());
  const threadOf = (mark: string) => {
    const state = project.journal.state();
    const id = referred(state, mark);
    return id === null ? null : (state.mail.get(id)?.message.thread ?? null);
  };
  return {
    now,
    write: (memory) => writeMemory(disk, memory),
    items: () => channelItems(project, roles),
    standings: (threads) => threadStandings(project, threads, now()),
    threadOf,
    tookEffect: (key, mark) => tookEffect(project, roles, { key, mark, isSent: threadOf(mark) !== null }),
    task: async (role, { subject, text }, mark) => {
      const to = settings.to ?? (await startRole(project, settings.name));
      // Without a subject it is the first line of the text, as everywhere.
      const about = subject.trim() === '' ? undefined : subject;
      const said = { subject: about, text, fields: {}, attachments: [], to: [to] };
      const sent = await sendAs({ project, name: role, now, mark }, said);
      return sent.state === 'accepted' ? sent.thread : threadOf(mark);
    },
    answer: async ({ item, role, type, fields, text }, mark) => {
      const values = valuesOf(item, fields);
      const letter = { type: type ?? undefined, text: text || '(no text)', fields: values, attachments: [] };
      await replyAs({ project, name: role, now, mark }, item.key, letter);
    },
    approve: async ({ item, role, type, fields, text }, mark) => {
      const choice = type ?? 'reject';
      const verb = choice === 'reject' ? 'reject' : 'approve';
      const comment = text === '' ? null : text;
      const [turn] = /^t\d+(?=-)/.exec(item.key) ?? [];
      if (turn !== undefined) return judgeLanding(project, turn, { verb, by: role, comment }, mark);
      const at = item.key.indexOf('/');
      const [run, path] = [item.key.slice(0, at), item.key.slice(at + 1)];
      const wish = { verb, path, choice, comment, fields: valuesOf(item, fields) } as const;
      await commandRun({ project, by: role, id: mark, now }, run, wish);
    },
    rested: wake,
    failed,
  };
}

/** Answers are found by their mark, approvals by the verdict on the command with it. */
function tookEffect(
  project: Project,
  roles: ReadonlySet<string>,
  { key, mark, isSent }: { readonly key: string; readonly mark: string; readonly isSent: boolean },
): boolean {
  const at = key.indexOf('/');
  if (at >= 0) return project.workflows.verdict(key.slice(0, at), mark)?.refusal === null;
  if (/^t\d+-/.test(key)) return project.journal.verdict(mark)?.refusal === null;
  const files = [...roles].map((role) => `agents/${role}/outbox/${nameOf(mark)}`);
  return isSent || files.some((file) => project.files.exists(file));
}

async function judgeLanding(
  project: Project,
  turn: string,
  { verb, by, comment }: { verb: 'approve' | 'reject'; by: string; comment: string | null },
  mark: string,
): Promise<void> {
  const target = { kind: 'turn', turn } as const;
  const asked = { verb, target, now: false, by, ...(comment !== null && { comment }) };
  const { state, reason } = await ask(project, asked, Date.now, mark);
  if (state === 'refused') throw new MailroomError('E_REFUSED', reason ?? 'it was refused');
}

async function startRole(project: Project, channel: string): Promise<string> {
  const definition = await project.definition();
  const start = definition.ok ? definition.value.protocol.start : null;
  if (start !== null) return start.to;
  throw new MailroomError(
    'E_USAGE',
    `no role gets the tasks of the channel ${channel}: the protocol has no \`start\``,
    `set channels.${channel}.to in mailroom.yaml`,
  );
}

function valuesOf(
  { fields }: { readonly fields: Readonly<Record<string, { readonly type: string }>> },
  given: Readonly<Record<string, string>>,
) {
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => [
      name,
      fieldValue(text, ownValue(fields, name)?.type ?? null),
    ]),
  );
}

/**
 * How these threads are, in Markdown. It names no time, so that it changes only with its thread.
 */
async function threadStandings(
  project: Project,
  threads: ReadonlySet<ThreadId>,
  now: number,
): Promise<ReadonlyMap<ThreadId, Standing>> {
  const definition = await project.definition();
  if (threads.size === 0 || !definition.ok) return new Map();
  const { protocol } = definition.value;
  const state = project.journal.state();
  const explainer = mailExplainer(project, state, protocol, now);
  const known = [...threads].flatMap((id) => state.threads.get(id) ?? []);
  return new Map(known.map((thread) => [thread.id, standingOf(thread, explainer.thread(thread))]));
}

const heads: Readonly<Record<Exclude<ThreadState, 'open'>, string>> = {
  closed: 'Done',
  failed: 'Failed',
  quiet: 'At rest',
};

function standingOf({ state, count, turns, cost }: Thread, why: MailWhy): Standing {
  const head = state === 'open' ? (isMoving(why) ? 'In work' : 'Waiting') : heads[state];
  const spent = [counted(count, 'message'), counted(turns, 'turn'), money(cost)];
  const facts = spent.filter((part) => part !== '').join(' · ');
  return {
    text: [`**${head}:** ${why.reason}.`, facts, explanation].join('\n\n'),
    isOver: state === 'closed' || state === 'failed',
  };
}

const explanation = '_Mailroom keeps this comment current. Questions and the result come here._';

/** A longer line of a program is not understood, in bytes. */
const longestLine = 1_000_000;
/** How long a program may finish what it is sending, in milliseconds. */
const graceMs = 10_000;

/**
 * The channel with these settings, by an extension or by a program of the person's own. Loads only
 * the code of its kind, and connects later. Throws `E_USAGE` for a missing secret.
 */
async function openChannel(
  settings: ChannelConfig,
  hooks: readonly Hooks[],
  place: Parameters<OpenChannel<'command'>>[1],
): Promise<Channel> {
  if (settings.kind === 'command') {
    const { Command } = await import('../channels/command/command.ts');
    return new Command(await starter(place.disk, settings), Date.now);
  }
  const { kind, name } = settings;
  // What opens a kind takes the settings of that kind.
  const [open] = hooks.flatMap(({ channels }) => channels?.[kind] ?? []) as OpenChannel<typeof kind>[];
  if (open === undefined)
    throw new MailroomError(
      'E_USAGE',
      `the channel ${name} is of the kind ${kind}, which is not part of this program`,
      `remove channels.${name} from mailroom.yaml`,
    );
  return open(settings, place);
}

/** Only one program of the channel runs: what a killed controller left ends first. */
async function starter(
  disk: Disk,
  { name, command: argv, env: inherit }: CommandChannel,
): Promise<StartProgram> {
  const { startLineProgram } = await import('../process/supervision/line-program.ts');
  const project = createHash('sha256').update(disk.root).digest('hex').slice(0, 12);
  const own = `.mailroom/programs/${name}`;
  const set = { MAILROOM_CHANNEL: name, MAILROOM_CHANNEL_FOLDER: `${disk.root}/${own}` };
  return (hooks) => {
    disk.makeFolder(own);
    const env = buildEnvironment({ inherit, set });
    const mark = `mailroom-channel-${project}:${name}`;
    const program = { argv, cwd: disk.root, env, mark, secrets: projectSecrets(disk) };
    return startLineProgram({ ...program, longestLine, graceMs }, hooks);
  };
}
