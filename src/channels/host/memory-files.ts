import { iso } from '../../kernel/times.ts';
import { readContent } from '../../disk/contents.ts';
import type { Disk } from '../../disk/disk.ts';
import { putAside } from '../../host/refused.ts';
import { readChannelMemory, type ChannelMemory } from '../../letters/channel-memory.ts';
import { newMemory } from '../machine/memory.ts';

const longest = 64 * 1024 * 1024;

function fileOf(channel: string): string {
  return `.mailroom/channels/${channel}.json`;
}

/** The memory of a channel; null: it was never used. Throws `E_DISK`. */
export function lookAtMemory(disk: Disk, channel: string): ChannelMemory | null {
  const read = readMemory(disk, channel);
  return read?.ok === true ? read.value : null;
}

/** The memory of a channel for its host. `problem`: it was damaged, and was put aside. */
export function openMemory(
  disk: Disk,
  channel: string,
  now: number,
): { readonly memory: ChannelMemory; readonly problem: string | null } {
  const read = readMemory(disk, channel);
  if (read?.ok === true) return { memory: read.value, problem: null };
  if (read === null) return { memory: newMemory(channel, now), problem: null };
  putAside(disk, fileOf(channel), read.problem);
  return {
    memory: newMemory(channel, now),
    problem: `${fileOf(channel)} was moved to .mailroom/refused/, so what waits for people is sent again: ${read.problem}`,
  };
}

/** Durable before it returns. */
export function writeMemory(disk: Disk, memory: ChannelMemory): void {
  disk.write(fileOf(memory.channel), `${JSON.stringify(memory)}\n`, { sync: true });
}

function readMemory(disk: Disk, channel: string): ReturnType<typeof readChannelMemory> | null {
  const content = readContent(disk, fileOf(channel), longest);
  if (content === 'gone') return null;
  return content.ok ? readChannelMemory(content.text) : content;
}

/** Why a channel is down, and how much waits for it; null: it is not. */
export function channelProblem({ channel, down, waiting }: ChannelMemory): string | null {
  if (down === null) return null;
  const kept = waiting === 1 ? '1 message waits' : `${String(waiting)} messages wait`;
  const since = iso(down.since);
  return `channel ${channel} is down since ${since}, and ${kept} for it: ${down.problem}`;
}

export function channelRecovery(channel: string, since: number): string {
  return `channel ${channel} works again; it was down since ${iso(since)}`;
}
