// Applies the recorded workspace changes of a turn, all or none. src/providers/recording.ts defines
// the names of contents.
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * `edits` belong to the recording at position `order` in its folder. `lasting` replaces what
 * differs from run to run, `resolve` inserts the values of this turn, `others` returns all
 * recordings. Throws when a file has a content that no recorded turn has seen.
 */
export function redo({ edits, order }, { workspace, lasting, resolve, others }) {
  const named = edits.map((edit) => ({ ...edit, place: within(workspace, resolve(edit.path)) }));
  const isWanted = (edit) => {
    const now = nameOf(contentAt(edit.place), lasting);
    if (now === edit.before) return true;
    return now !== edit.after && !isLater(edit, now, order, others());
  };
  const wanted = named.filter(isWanted);
  if (wanted.length === 0) return;
  const folder = mkdtempSync(join(workspace, '.replay-'));
  try {
    const file = (edit) => join(folder, String(wanted.indexOf(edit)));
    for (const edit of wanted) if (edit.after !== null) prepare(edit, file(edit), resolve);
    // Another turn may have changed files meanwhile.
    exchange(wanted.filter(isWanted), file, workspace);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Moves the existing files aside and the prepared ones into their place; if one move fails,
 * restores all of them.
 */
function exchange(edits, file, workspace) {
  const undo = [];
  const move = (from, to) => {
    mkdirSync(dirname(to), { recursive: true });
    renameSync(from, to);
    undo.push(() => move(to, from));
  };
  try {
    for (const edit of edits) {
      if (contentAt(edit.place) === null) continue;
      move(edit.place, `${file(edit)}-was`);
      removeEmpty(dirname(edit.place), workspace);
    }
    for (const edit of edits) if (edit.after !== null) move(file(edit), edit.place);
  } catch (error) {
    for (const back of undo.splice(0).toReversed()) back();
    throw error;
  }
}

/**
 * Removes a folder that is empty, and each parent that is then empty, up to the workspace: git does
 * not record empty folders.
 */
function removeEmpty(folder, workspace) {
  if (folder === workspace || readdirSync(folder).length > 0) return;
  rmdirSync(folder);
  removeEmpty(dirname(folder), workspace);
}

/**
 * Whether a file already has a later turn's content: turns that ran in parallel may end in another
 * order.
 */
function isLater({ path }, now, order, others) {
  const known = others.flatMap((other) =>
    (other.edits ?? []).filter((edit) => edit.path === path).map((edit) => ({ ...edit, order: other.order })),
  );
  if (known.some((edit) => edit.order > order && edit.after === now)) return true;
  if (known.some((edit) => edit.before === now || edit.after === now)) return false;
  throw new Error(
    `${path} is not what it was when this turn was recorded, so none of its changes were made: replay in a checkout of the commit that the recording began with`,
  );
}

/** A path below the workspace; throws for a link that leads out of it. */
function within(workspace, path) {
  const place = join(workspace, path);
  const real = realpathSync(existing(dirname(place)));
  if (relative(workspace, place).startsWith('..') || relative(realpathSync(workspace), real).startsWith('..'))
    throw new Error(`${path} leaves the workspace, so none of the recorded changes were made`);
  return place;
}

function existing(folder) {
  return look(folder) === undefined ? existing(dirname(folder)) : folder;
}

function look(place) {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch (error) {
    // A parent of the path is not a folder.
    if (error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** The content of a file; null if there is no file. */
function contentAt(place) {
  const stats = look(place);
  if (stats === undefined || stats.isDirectory()) return null;
  return stats.isSymbolicLink() ? Buffer.from(readlinkSync(place)) : readFileSync(place);
}

function nameOf(content, lasting) {
  if (content === null) return null;
  const text = lasting(content.toString('latin1').replaceAll('\r\n', '\n'), (value) =>
    Buffer.from(value).toString('latin1'),
  );
  return createHash('sha256').update(text, 'latin1').digest('hex').slice(0, 24);
}

function prepare({ kind, text, base64 }, file, resolve) {
  const content = text === undefined ? Buffer.from(base64, 'base64') : Buffer.from(resolve(text));
  if (kind === 'link') symlinkSync(content.toString(), file);
  else writeFileSync(file, content, { mode: kind === 'program' ? 0o777 : 0o666 });
}
