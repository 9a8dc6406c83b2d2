import { channelProblem, lookAtMemory } from '../channels/host/memory-files.ts';
import { requiredVariables } from '../config/channels.ts';
import type { ChannelConfig, Config } from '../config/config.ts';
import type { Disk } from '../disk/disk.ts';
import { counted, enumerate } from '../kernel/enumerate.ts';
import { MailroomError } from '../kernel/errors.ts';
import { ownValue } from '../kernel/own.ts';
import type { Finding } from '../kernel/finding.ts';

/** Refused texts that are shown, the last ones. */
const mostRefused = 3;

/** The channels of the project, as far as it is known without a call. */
export function examineChannels(
  disk: Disk,
  { channels }: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Finding[] {
  return [...channels.values()].flatMap((channel) => examineChannel(disk, channel, environment));
}

function examineChannel(
  disk: Disk,
  settings: ChannelConfig,
  environment: Readonly<Record<string, string | undefined>>,
): Finding[] {
  const { name, kind, people } = settings;
  const topic = `channel ${name}`;
  try {
    const memory = lookAtMemory(disk, name);
    const down = memory === null ? null : channelProblem(memory);
    const speakers = enumerate([...people].map(([who, role]) => `${who} as ${role}`));
    const polled = memory?.polled ?? 0;
    const used = polled === 0 ? 'not read yet' : `last read ${new Date(polled).toISOString()}`;
    const refused = Object.entries(memory?.received ?? {}).filter(([, { reason }]) => reason !== null);
    const unset = requiredVariables(settings).filter(
      (variable) => (ownValue(environment, variable) ?? '') === '',
    );
    return [
      { topic, state: 'ok', text: `${kind}, ${placeOf(settings)}; ${speakers}; ${used}` },
      ...unset.map(
        (variable) =>
          ({ topic, state: 'warning', text: `the variable ${variable} is not set here` }) as const,
      ),
      ...(down === null ? [] : [{ topic, state: 'problem', text: down } as const]),
      ...(refused.length === 0 ? [] : [refusedFinding(topic, refused)]),
    ];
  } catch (error) {
    if (!(error instanceof MailroomError)) throw error;
    return [{ topic, state: 'problem', text: error.message }];
  }
}

/** What it talks to. */
function placeOf(settings: ChannelConfig): string {
  switch (settings.kind) {
    case 'github':
      return settings.repository;
    case 'email':
      return settings.address;
    case 'command':
      return settings.command.join(' ');
  }
}

function refusedFinding(
  topic: string,
  refused: readonly (readonly [string, { readonly at: number; readonly reason: string | null }])[],
): Finding {
  const last = refused.toSorted(([, a], [, b]) => b.at - a.at).slice(0, mostRefused);
  const words = last.map(([id, { reason }]) => `${id}: ${reason ?? ''}`).join('; ');
  return {
    topic,
    state: 'info',
    text: `${counted(refused.length, 'text')} not accepted, the last: ${words}`,
  };
}
