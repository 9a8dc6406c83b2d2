import { createHash } from 'node:crypto';
import type { StartProgram } from '../channels/command/session.ts';
import type { Channel } from '../channels/machine/contract.ts';
import type { ChannelConfig, CommandChannel } from '../config/config.ts';
import type { Hooks, OpenChannel } from '../project/definition/hooks.ts';
import type { Disk } from '../disk/disk.ts';
import { MailroomError } from '../kernel/errors.ts';
import { buildEnvironment } from '../process/sandbox/environment.ts';
import { projectSecrets } from '../workflow/host/secrets.ts';

/** A longer line of a program is not understood, in bytes. */
const longestLine = 1_000_000;
/** How long a program may finish what it is sending, in milliseconds. */
const graceMs = 10_000;

/**
 * The channel with these settings, by an extension or by a program of the person's own. Loads only
 * the code of its kind, and connects later. Throws `E_USAGE` for a missing secret.
 */
export async function openChannel(
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
