import { RealDisk } from '../../disk/real-disk.ts';
import type { RecordsFolder } from '../../project/definition/contracts.ts';
import { appendMissingLines, missingLines } from '../../project/definition/project-files.ts';
import { baseOf } from '../files/streams.ts';
import type { OwnWorkspace } from '../model.ts';

/** The git state of the records folder of a workflow with its own workspace (absolute). */
export function recordsFolder(workspace: string, home: OwnWorkspace): RecordsFolder {
  const base = new RealDisk(baseOf(workspace, home));
  const records = `/${home.records.split('/')[0] ?? home.records}/`;
  const text = base.read('.gitignore', 1024 * 1024)?.toString('utf8') ?? '';
  const lines = missingLines(text, [records, '/.mailroom/']);
  return {
    isFirst: base.look(home.records) === null && lines.includes(records),
    lines,
    ignore: () => void appendMissingLines(base, '.gitignore', lines),
  };
}
