import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import metadata from '../../package.json' with { type: 'json' };
import type { StartProgram } from '../channels/command/session.ts';
import type { Push } from '../channels/github/github.ts';
import type { Marks } from '../channels/host/marks.ts';
import type { Channel } from '../channels/machine/contract.ts';
import type { ChannelConfig, CommandChannel, GithubChannel } from '../config/config.ts';
import type { Surroundings } from '../project/definition/definition.ts';
import type { Disk } from '../disk/disk.ts';
import { originOf, sendWork } from '../git/travel.ts';
import { MailroomError } from '../kernel/errors.ts';
import { ownValue } from '../kernel/own.ts';
import { buildEnvironment } from '../process/sandbox/environment.ts';
import { projectSecrets } from '../workflow/host/secrets.ts';

/** A longer line of a program is not understood, in bytes. */
const longestLine = 1_000_000;
/** How long a program may finish what it is sending, in milliseconds. */
const graceMs = 10_000;

/**
 * The channel with these settings. Loads only the code of its kind, and connects later. Throws
 * `E_USAGE` for a missing secret.
 */
export async function openChannel(
  disk: Disk,
  settings: ChannelConfig,
  { marks, environment }: { readonly marks: Marks; readonly environment: Surroundings['environment'] },
): Promise<Channel> {
  switch (settings.kind) {
    case 'command': {
      const { Command } = await import('../channels/command/command.ts');
      return new Command(await starter(disk, settings), Date.now);
    }
    case 'email': {
      const password = secretOf(settings, environment);
      const [{ Email }, { Mailbox }] = await Promise.all([
        import('../channels/email/email.ts'),
        import('../channels/email/mailbox.ts'),
      ]);
      return new Email(settings, new Mailbox({ ...settings, password }), marks, Date.now);
    }
    case 'github': {
      const token = secretOf(settings, environment);
      const [{ Github }, { GithubApi }] = await Promise.all([
        import('../channels/github/github.ts'),
        import('../channels/github/api.ts'),
      ]);
      const pause = (milliseconds: number) => wait(milliseconds);
      const { api } = settings;
      const options = { api, token, version: metadata.version, now: Date.now, wait: pause };
      return new Github(settings, new GithubApi(options), marks, pusher(disk, settings));
    }
  }
}

function secretOf(
  { name: channel, secret: variable }: { readonly name: string; readonly secret: string },
  environment: Surroundings['environment'],
) {
  const value = ownValue(environment, variable) ?? '';
  if (value !== '') return value;
  throw new MailroomError(
    'E_USAGE',
    `the channel ${channel} needs the variable ${variable}, which is not set`,
    `set it where \`mailroom up\` runs, or remove channels.${channel} from mailroom.yaml`,
  );
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

function pusher(disk: Disk, { git }: GithubChannel): Push {
  return async (commit, branch) => {
    const url = git ?? (await originOf(disk.root));
    if (url === null) return 'the project has no remote `origin`, and `git` of the channel is not set';
    const sent = await sendWork(disk.root, url, commit, `refs/heads/${branch}`);
    return sent.ok ? null : sent.problem;
  };
}
