import { RealDisk } from '../../disk/real-disk.ts';
import type { RecordsFolder } from '../../project/definition/contracts.ts';
import { appendMissingLines } from '../../project/definition/project-files.ts';
import { baseOf } from '../files/streams.ts';
import type { OwnWorkspace } from '../model.ts';

/** The git state of the records folder of a workflow with its own workspace (absolute). */
export function recordsFolder(workspace: string, home: OwnWorkspace): RecordsFolder {
  const base = new RealDisk(baseOf(workspace, home));
  const records = `${home.records.split('/')[0] ?? home.records}/`;
  const ignored =
    base
      .read('.gitignore', 1024 * 1024)
      ?.toString('utf8')
      .split(/\r?\n/) ?? [];
  const isMissing = (line: string) =>
    !ignored.some((each) => [line, line.slice(0, -1), `/${line}`].includes(each.trim()));
  const lines = [records, '.mailroom/'].filter(isMissing);
  return {
    isFirst: base.look(home.records) === null && isMissing(records),
    lines,
    ignore: () => void appendMissingLines(base, '.gitignore', lines),
  };
}
