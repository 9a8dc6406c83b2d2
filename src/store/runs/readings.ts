import { readJson } from '../../core/json.ts';
import type { Collected } from '../../core/workflow/launch.ts';
import { readContent } from '../contents.ts';
import type { Disk } from '../disk.ts';
import { realPath } from './paths.ts';

/** The largest file of values, and the largest decision, in bytes. */
const valuesBytes = 4 * 1024 * 1024;
const decisionBytes = 1024 * 1024;

/** What a worker handed over as values; null: nothing. */
export function readValues(disk: Disk, path: string): Collected['values'] {
  const content = readContent(disk, path, valuesBytes);
  if (content === 'gone') return null;
  if (!content.ok) return { unreadable: content.problem };
  const read = readJson(content.text);
  return read.ok ? read.value : { unreadable: read.problem };
}

/** The text of a decision file, empty where it is none; null: there is no such file. */
export function readDecision(disk: Disk, path: string): string | null {
  if (disk.look(path) === null) return null;
  const content = readContent(disk, realPath(disk, path), decisionBytes);
  if (content === 'gone') return null;
  return content.ok ? content.text : '';
}
