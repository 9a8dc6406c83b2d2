import { createHash } from 'node:crypto';
import { noMemory } from '../machine/triggers/memory.ts';
import { readTriggerMemory, type TriggersMemory } from '../../letters/letters.ts';
import { readContent } from '../../disk/contents.ts';
import { join } from '../../disk/disk.ts';
import type { Disk } from '../../disk/disk.ts';
import { putAside } from '../../host/refused.ts';

/** The folder of the triggers' memories, one file per workflow. */
const triggersFolder = '.mailroom/triggers';

/**
 * An unreadable memory is forgotten: at worst a run begins late; none begins twice, since its id is
 * fixed.
 */
export function readTriggers(disk: Disk, workflow: string): TriggersMemory {
  const read = readMemory(disk, fileOf(workflow));
  return read.ok ? read.value.memory : noMemory;
}

/** Durable before it returns: answers to others depend on it. */
export function writeTriggers(disk: Disk, workflow: string, memory: TriggersMemory): void {
  disk.write(fileOf(workflow), `${JSON.stringify({ workflow, memory }, null, 2)}\n`, { sync: true });
}

/** The workflows that have a memory, as paths from the project. */
export function rememberedWorkflows(disk: Disk): string[] {
  return memoryFiles(disk)
    .flatMap((path) => {
      const read = readMemory(disk, path);
      return read.ok ? read.value.workflow : [];
    })
    .toSorted();
}

/** Puts aside invalid files among the memories. Returns one warning for each. */
export function refuseBadMemories(disk: Disk): string[] {
  return memoryFiles(disk).flatMap((path) => {
    const read = readMemory(disk, path);
    if (read.ok) return [];
    putAside(disk, path, read.problem);
    return `${path} was moved to .mailroom/refused/, so what it remembered of triggers is forgotten: ${read.problem}`;
  });
}

function memoryFiles(disk: Disk): string[] {
  return (disk.list(triggersFolder) ?? [])
    .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    .map((name) => join(triggersFolder, name));
}

function readMemory(disk: Disk, path: string): ReturnType<typeof readTriggerMemory> {
  const content = readContent(disk, path, 64 * 1024 * 1024);
  if (content === 'gone') return { ok: false, problem: 'it is gone' };
  const read = content.ok ? readTriggerMemory(content.text) : content;
  if (read.ok && fileOf(read.value.workflow) !== path)
    return { ok: false, problem: 'its name is that of another workflow' };
  return read;
}

function fileOf(workflow: string): string {
  return join(triggersFolder, `${createHash('sha256').update(workflow).digest('hex').slice(0, 32)}.json`);
}
