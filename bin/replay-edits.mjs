// Applies the recorded workspace changes of a turn, all or none. src/providers/recording.ts defines
// the names of contents.
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { expectApart, expectHarmless, inFolder } from './replay-places.mjs';

/**
 * Makes the changes of a recording, and then writes its `files`, in the place that each has.
 * `edits` belong to the recording at position `order` in its folder. `lasting` replaces what
 * differs from run to run, `resolve` inserts the values of this turn, `others` returns all
 * recordings. Throws, before anything is written, when a path is not the recording's to write or a
 * file has a content that no recorded turn has seen.
 */
export function redo({ edits, files, order }, { workspace, project, guard, lasting, resolve, others }) {
  const named = edits.map((edit) => ({ ...edit, place: resolve(edit.path) }));
  for (const { place } of [...named, ...files]) expectHarmless(place, guard, { workspace, project });
  expectApart([...named.filter(({ after }) => after !== null), ...files].map(({ place }) => place));
  for (const { place } of files) expectFile(workspace, place, named);
  const isWanted = (edit) => {
    const now = nameOf(contentAt(workspace, edit.place), lasting);
    if (now === edit.before) return true;
    return now !== edit.after && !isLater(edit, now, order, others());
  };
  const wanted = named.filter(isWanted);
  if (wanted.length > 0) change(workspace, wanted, isWanted, resolve);
  for (const { place, text } of files)
    inFolder(workspace, place, { makes: true }, (folder, name) => writeInPlace(`${folder}/${name}`, text));
}

function change(workspace, wanted, isWanted, resolve) {
  const temporary = basename(mkdtempSync(join(workspace, '.replay-')));
  try {
    const file = (edit) => `${temporary}/${wanted.indexOf(edit)}`;
    for (const edit of wanted)
      if (edit.after !== null)
        inFolder(workspace, file(edit), {}, (folder, name) => prepare(edit, `${folder}/${name}`, resolve));
    // Another turn may have changed files meanwhile.
    exchange(wanted.filter(isWanted), file, workspace);
  } finally {
    rmSync(join(workspace, temporary), { recursive: true });
  }
}

/** Throws where a file of a turn would be written by way of a link, or into something else. */
function expectFile(workspace, place, edits) {
  const isLink = edits.some((edit) => edit.place === place && edit.kind === 'link' && edit.after !== null);
  const stats = inFolder(workspace, place, {}, look);
  if (isLink || (stats && !stats.isFile()))
    throw new Error(
      `${place} is not a file, but a link or a folder, so none of the recorded changes were made`,
    );
}

/** Keeps the file as it is but for its content: a sandbox may have made only that writable. */
export function writeInPlace(path, text) {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o666);
  try {
    if (!fstatSync(file).isFile()) throw new Error(`${path} is not a file`);
    ftruncateSync(file);
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

/**
 * Moves the existing files aside and the prepared ones into their place; if one move fails,
 * restores all of them.
 */
function exchange(edits, file, workspace) {
  const undo = [];
  const move = (from, to) => {
    inFolder(workspace, to, { makes: true }, (into, name) =>
      inFolder(workspace, from, {}, (out, old) => renameSync(`${out}/${old}`, `${into}/${name}`)),
    );
    undo.push(() => move(to, from));
  };
  try {
    for (const edit of edits) {
      if (contentAt(workspace, edit.place) === null) continue;
      move(edit.place, `${file(edit)}-was`);
      removeEmpty(workspace, edit.place);
    }
    for (const edit of edits) if (edit.after !== null) move(file(edit), edit.place);
  } catch (error) {
    for (const back of undo.splice(0).toReversed()) back();
    throw error;
  }
}

/**
 * Removes the folder of a file if it is empty, and each parent that is then empty, up to the
 * workspace: git does not record empty folders.
 */
function removeEmpty(workspace, path) {
  const parent = path.slice(0, Math.max(path.lastIndexOf('/'), 0));
  if (parent === '') return;
  const isRemoved = inFolder(workspace, parent, {}, (folder, name) => {
    if (readdirSync(`${folder}/${name}`).length > 0) return false;
    rmdirSync(`${folder}/${name}`);
    return true;
  });
  if (isRemoved) removeEmpty(workspace, parent);
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

/** Null: there is nothing. */
function look(folder, name) {
  try {
    return lstatSync(`${folder}/${name}`, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    // A parent of the path is not a folder.
    if (error.code === 'ENOTDIR') return null;
    throw error;
  }
}

/** The content of a file; null if there is no file. */
function contentAt(workspace, place) {
  return inFolder(workspace, place, {}, (folder, name) => {
    const stats = look(folder, name);
    if (stats === null || stats.isDirectory()) return null;
    if (stats.isSymbolicLink()) return Buffer.from(readlinkSync(`${folder}/${name}`));
    if (!stats.isFile()) throw new Error(`${place} is not a file, so none of the recorded changes were made`);
    const file = openSync(
      `${folder}/${name}`,
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    );
    try {
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  });
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
