import { createHash } from 'node:crypto';
import { isJsonObject, parseJson } from '../../core/json.ts';
import { noMemory, type TriggersMemory } from '../../core/workflow/triggers/memory.ts';
import { join } from '../disk.ts';
import type { Disk } from '../disk.ts';

/** What is remembered of triggers, a file for each workflow. */
const triggersFolder = '.mailroom/triggers';

/** What cannot be read is forgotten: at worst a run begins later than it could, and none begins twice, for its id tells. */
export function readTriggers(disk: Disk, workflow: string): TriggersMemory {
  return read(disk, fileOf(workflow))?.memory ?? noMemory;
}

/** Durable before it returns: what is answered to others follows from it. */
export function writeTriggers(disk: Disk, workflow: string, memory: TriggersMemory): void {
  disk.write(fileOf(workflow), `${JSON.stringify({ workflow, memory }, null, 2)}\n`, { sync: true });
}

/** The workflows of which anything is remembered, as paths from the project. */
export function rememberedWorkflows(disk: Disk): string[] {
  return (disk.list(triggersFolder) ?? [])
    .flatMap((name) => read(disk, join(triggersFolder, name))?.workflow ?? [])
    .toSorted();
}

function read(disk: Disk, path: string): { workflow: string; memory: TriggersMemory } | null {
  if (!path.endsWith('.json') || disk.look(path)?.kind !== 'file') return null;
  const value = parseJson(disk.read(path, 64 * 1024 * 1024)?.toString('utf8') ?? '');
  if (!isJsonObject(value) || typeof value['workflow'] !== 'string') return null;
  const memory = value['memory'] ?? null;
  if (!isJsonObject(memory) || !isJsonObject(memory['triggers'] ?? null)) return null;
  return { workflow: value['workflow'], memory: memory as unknown as TriggersMemory };
}

function fileOf(workflow: string): string {
  return join(triggersFolder, `${createHash('sha256').update(workflow).digest('hex').slice(0, 32)}.json`);
}
