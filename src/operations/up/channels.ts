import process from 'node:process';
import metadata from '../../../package.json' with { type: 'json' };
import { setTimeout as wait } from 'node:timers/promises';
import { ChannelHost, type ChannelPorts } from '../../channels/host/channel-host.ts';
import { Marks } from '../../channels/host/marks.ts';
import { openMemory, writeMemory } from '../../channels/host/memory-files.ts';
import type { Channel } from '../../channels/machine/contract.ts';
import type { ChannelConfig, GithubChannel } from '../../config/config.ts';
import type { RealDisk } from '../../disk/real-disk.ts';
import { originOf, sendWork } from '../../git/travel.ts';
import { projectKey } from '../../host/project-key.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { isHuman, type Protocol } from '../../mail/format/protocol.ts';
import type { Push } from '../../channels/github/github.ts';
import { channelItems } from '../channels/items.ts';
import { referred } from '../reference.ts';
import { ask } from '../requests.ts';
import { commandRun } from '../runs/commands.ts';
import type { ProjectServices } from '../services.ts';
import { replyAs, sendAs } from '../speak.ts';
import { ProblemsError } from '../problems.ts';
import type { LoopHints, UpWorkflows } from '../../workflow/host/up-host.ts';
import { fieldValue } from '../given-fields.ts';
import { nameOf } from '../sending.ts';

/**
 * The same with the channels of the project beside. Throws `E_UNKNOWN_NAME` for a role that is not
 * a person, and `E_USAGE` for a missing secret.
 */
export async function withChannels(
  workflows: UpWorkflows,
  disk: RealDisk,
  project: ProjectServices,
  hints: LoopHints,
): Promise<UpWorkflows> {
  try {
    const { notes, hosts } = await openHosts(disk, project, hints);
    const wake = () => {
      for (const host of hosts) host.wake();
    };
    wake();
    return {
      ...workflows,
      notes: [...workflows.notes, ...notes],
      problems: () => [...workflows.problems(), ...hosts.flatMap((host) => host.problems())],
      received: (messages) => {
        workflows.received(messages);
        wake();
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

async function openHosts(disk: RealDisk, project: ProjectServices, hints: LoopHints) {
  const definition = await project.definition();
  if (!definition.ok) throw new ProblemsError(definition.problems);
  const { protocol, config } = definition.value;
  const notes: string[] = [];
  const hosts: ChannelHost[] = [];
  const marks = new Marks(projectKey(disk));
  for (const settings of config.channels.values()) {
    expectPeople(settings, protocol);
    const channel = await openChannel(disk, settings, marks);
    const { memory, problem } = openMemory(disk, settings.name, Date.now());
    if (problem !== null) notes.push(problem);
    const ports = portsOf(disk, project, settings, hints);
    hosts.push(new ChannelHost(settings, channel, { marks, memory, ports }));
  }
  return { notes, hosts };
}

function expectPeople({ name, people, to }: ChannelConfig, protocol: Protocol): void {
  const known = [...protocol.roles.keys()].filter((role) => isHuman(protocol, role));
  for (const [who, role] of people)
    if (!known.includes(role))
      throw new MailroomError(
        'E_UNKNOWN_NAME',
        `channels.${name}.people: ${who} is to speak as \`${role}\`, which is not a human role`,
        didYouMean(role, known) ?? `the human roles are ${known.join(', ')}`,
      );
  if (to === null || protocol.roles.has(to)) return;
  const hint = didYouMean(to, [...protocol.roles.keys()]);
  throw new MailroomError('E_UNKNOWN_NAME', `channels.${name}.to: there is no role \`${to}\``, hint);
}

async function openChannel(disk: RealDisk, settings: ChannelConfig, marks: Marks): Promise<Channel> {
  const secret = secretOf(settings);
  if (settings.kind === 'email') {
    const [{ Email }, { Mailbox }] = await Promise.all([
      import('../../channels/email/email.ts'),
      import('../../channels/email/mailbox.ts'),
    ]);
    return new Email(settings, new Mailbox({ ...settings, password: secret }), marks, Date.now);
  }
  const [{ Github }, { GithubApi }] = await Promise.all([
    import('../../channels/github/github.ts'),
    import('../../channels/github/api.ts'),
  ]);
  const { api } = settings;
  const pause = (milliseconds: number) => wait(milliseconds);
  const options = { api, token: secret, version: metadata.version, now: Date.now, wait: pause };
  return new Github(settings, new GithubApi(options), marks, pusher(disk, settings));
}

function secretOf({ name: channel, secret: variable }: ChannelConfig): string {
  const value = process.env[variable] ?? '';
  if (value !== '') return value;
  throw new MailroomError(
    'E_USAGE',
    `the channel ${channel} needs the variable ${variable}, which is not set`,
    `set it where \`mailroom up\` runs, or remove channels.${channel} from mailroom.yaml`,
  );
}

function pusher(disk: RealDisk, { git }: GithubChannel): Push {
  return async (commit, branch) => {
    const url = git ?? (await originOf(disk.root));
    if (url === null) return 'the project has no remote `origin`, and `git` of the channel is not set';
    const sent = await sendWork(disk.root, url, commit, `refs/heads/${branch}`);
    return sent.ok ? null : sent.problem;
  };
}

function portsOf(
  disk: RealDisk,
  project: ProjectServices,
  settings: ChannelConfig,
  { wake, failed }: LoopHints,
): ChannelPorts {
  const now = Date.now;
  const roles = new Set(settings.people.values());
  const threadOf = (mark: string) => {
    const state = project.state();
    const id = referred(state, mark);
    return id === null ? null : (state.mail.get(id)?.message.thread ?? null);
  };
  return {
    now,
    write: (memory) => writeMemory(disk, memory),
    items: () => channelItems(project, roles),
    threadOf,
    tookEffect: (key, mark) => tookEffect(project, roles, { key, mark, isSent: threadOf(mark) !== null }),
    task: async (role, { subject, text }, mark) => {
      const to = settings.to ?? (await startRole(project, settings.name));
      const said = { subject, text, fields: {}, attachments: [], to: [to] };
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
      if (!item.key.includes('/')) return judgeLanding(project, item.key, { verb, by: role, comment }, mark);
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
  project: ProjectServices,
  roles: ReadonlySet<string>,
  { key, mark, isSent }: { readonly key: string; readonly mark: string; readonly isSent: boolean },
): boolean {
  const at = key.indexOf('/');
  if (at >= 0) return project.workflows.verdict(key.slice(0, at), mark)?.refusal === null;
  if (/^t\d+$/.test(key)) return project.verdict(mark)?.refusal === null;
  const files = [...roles].map((role) => `agents/${role}/outbox/${nameOf(mark)}`);
  return isSent || files.some((file) => project.files.exists(file));
}

async function judgeLanding(
  project: ProjectServices,
  turn: string,
  { verb, by, comment }: { verb: 'approve' | 'reject'; by: string; comment: string | null },
  mark: string,
): Promise<void> {
  const target = { kind: 'turn', turn } as const;
  const asked = { verb, target, now: false, by, ...(comment !== null && { comment }) };
  const { state, reason } = await ask(project, asked, Date.now, mark);
  if (state === 'refused') throw new MailroomError('E_REFUSED', reason ?? 'it was refused');
}

async function startRole(project: ProjectServices, channel: string): Promise<string> {
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
    Object.entries(given).map(([name, text]) => [name, fieldValue(text, fields[name]?.type ?? null)]),
  );
}
