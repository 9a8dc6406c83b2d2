import { createHash, type Hash } from 'node:crypto';
import { bytesInWords } from '../../kernel/bytes.ts';
import { orElse } from '../../kernel/contained.ts';
import { counted } from '../../kernel/enumerate.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { unmasked, type Mask } from '../../kernel/mask.ts';
import { messageBytes, problem, readContent } from '../../disk/contents.ts';
import { isDenied, join, parentOf } from '../../disk/disk.ts';
import type { Found } from '../../disk/contents.ts';
import type { Disk } from '../../disk/disk.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { StagedFile, TurnPaths } from '../../providers/provider.ts';
import { moveFree } from '../../disk/file-names.ts';
import { latestLines, type OutputReading } from '../../host/latest-output.ts';

export const turnsFolder = '.mailroom/turns';
/** One git worktree for each thread, or for each role of it. */
const worktreesFolder = '.mailroom/worktrees';

/**
 * The maximum number of files that one turn hands over: more are an error, and nothing looks at
 * each of them.
 */
export const stagedFiles = 1_000;
/** So many entries of a staging folder are listed: there are hidden ones, too. */
const listedFiles = 2 * stagedFiles;
const stagedBytes = 16 * messageBytes;

/** More than a program can print before it is ended. */
const mostPrinted = 64 * 1024 * 1024;

/** One invocation of an agent: the round of an attempt. */
interface InvocationAt {
  readonly turn: string;
  readonly attempt: number;
  readonly round: number;
}

/** What an agent is given. */
interface Given {
  readonly prompt: string;
  readonly messages: readonly { readonly name: string; readonly text: string }[];
  /** A later round of the same attempt keeps the files of its staging folder. */
  readonly keepStaging: boolean;
}

/** The folders in which agents work: `.mailroom/turns/<turn>/<attempt>/`. */
export class TurnFolders {
  readonly #disk: Disk;
  /** Its `name` masks what people read with names of files that an agent has chosen. */
  readonly mask: Mask;

  /** `mask`: for the agents' texts. */
  constructor(disk: Disk, mask = unmasked) {
    this.#disk = disk;
    this.mask = mask;
  }

  /**
   * Creates `.mailroom/turns/<turn>/<attempt>/` with the prompt, read-only copies of the messages
   * and an empty staging folder. Returns absolute paths.
   */
  open({ turn, attempt, round }: InvocationAt, { prompt, messages, keepStaging }: Given): TurnPaths {
    const folder = this.#attemptFolder(turn, attempt);
    const copies = this.#folder(join(folder, 'messages'));
    const outbox = join(folder, 'outbox');
    if (!keepStaging) this.#clear(outbox);
    this.#folder(outbox);
    const absolute = (path: string): string => `${this.#disk.root}/${path}`;
    const paths = messages.map(({ name }) => join(copies, name));
    for (const [index, path] of paths.entries()) {
      this.#disk.write(path, messages[index]?.text ?? '', { mode: 0o444 });
    }
    const promptPath = join(folder, roundName('prompt.md', round));
    this.#disk.write(promptPath, prompt);
    return {
      folder: absolute(folder),
      prompt: absolute(promptPath),
      outbox: absolute(outbox),
      messages: paths.map(absolute),
      stdout: absolute(join(folder, roundName('stdout', round))),
      stderr: absolute(join(folder, roundName('stderr', round))),
    };
  }

  /**
   * Copies the staging folder aside and reads the copy, so that later writes are not seen. Sorted
   * by name, without dot files. A file that is not a readable `.md` file comes with the reason; of
   * more files than a turn may hand over none is read.
   */
  collect(turn: string, attempt: number, round: number): StagedFile[] {
    const folder = attemptPath(turn, attempt);
    const outbox = join(folder, 'outbox');
    const names = this.#staged(outbox);
    if (typeof names === 'string') return [{ name: 'outbox', content: problem(names) }];
    const collected = join(folder, `collected-${round}`);
    this.#clear(collected);
    let bytes = 0;
    return names.flatMap((name): StagedFile[] => {
      const path = join(outbox, name);
      const look = this.#disk.look(path);
      const size = look?.kind === 'file' && look.size <= messageBytes ? look.size : 0;
      bytes += size;
      const isTooMuch = size > 0 && bytes > stagedBytes;
      const content = isTooMuch ? problem(tooMuchText) : this.#stagedContent(path, name);
      if (content === 'gone') return [];
      if (content.ok) this.#disk.write(join(collected, name), content.text);
      return [{ name: this.mask.name(name), content }];
    });
  }

  /**
   * Moves a file that a role wrote into its own outbox during its turn to the staging folder, under
   * another name if its own is used. Returns that name; null: it is still where it was, or gone.
   */
  stage(turn: string, attempt: number, from: { role: RoleName; name: string }): string | null {
    const outbox = join(attemptPath(turn, attempt), 'outbox');
    const source = join(outboxPath(from.role), from.name);
    const target = join(outbox, from.name);
    const moved = this.#unlessRefused(() => {
      // `collect` reports what an agent has put in its place.
      const isFolder = (this.#disk.look(outbox)?.kind ?? 'folder') === 'folder';
      return isFolder ? moveFree(this.#disk, source, target) : null;
    });
    return moved === null ? null : moved.slice(outbox.length + 1);
  }

  /**
   * Moves the outbox of a role, with all that lies in it, into the folder of a turn, by one rename.
   * Returns where it lies then; relative to the project.
   */
  keepOutbox(turn: string, attempt: number, role: RoleName): string {
    const outbox = outboxPath(role);
    const place = join(this.#attemptFolder(turn, attempt), `outbox-of-${role}`);
    const moved = this.#unlessRefused(() => moveFree(this.#disk, outbox, place));
    this.#disk.makeFolder(outbox);
    return moved ?? outbox;
  }

  /**
   * Mail in mail folders of a checkout below `.mailroom/worktrees/`, which Mailroom does not read:
   * the first `most` that it finds among as many entries as it looks at.
   */
  strays(worktree: string, most: number): string[] {
    const agents = join(join(worktreesFolder, worktree), 'agents');
    let looks = listedStrays;
    const listed = (folder: string): string[] => {
      const isFolder = looks > 0 && this.#disk.look(folder)?.kind === 'folder';
      const names = isFolder ? (this.#disk.list(folder, looks) ?? []) : [];
      looks -= names.length + 1;
      return names;
    };
    const found: string[] = [];
    for (const role of listed(agents)) {
      if (this.#disk.look(join(agents, role))?.kind !== 'folder') continue;
      for (const box of ['inbox', 'outbox'])
        for (const name of listed(join(join(agents, role), box)))
          if (name.endsWith('.md')) found.push(`agents/${role}/${box}/${name}`);
      if (found.length >= most) break;
    }
    return found.toSorted().slice(0, most);
  }

  /** The last lines that an agent has printed, the newest last. `said`: reads its events. */
  latest(
    { id, attempt, round }: { readonly id: string; readonly attempt: number; readonly round: number },
    most: number,
    said: OutputReading['said'],
  ): readonly string[] {
    const file = (name: string) => join(attemptPath(id, attempt), roundName(name, round));
    const files = { stdout: file('stdout'), stderr: file('stderr') };
    return latestLines(this.#disk, files, most, { mask: this.mask, said });
  }

  /** The names of what a turn has in its staging folder, masked; relative to the project. */
  written(turn: string, attempt: number): { readonly folder: string; readonly names: readonly string[] } {
    const folder = join(attemptPath(turn, attempt), 'outbox');
    const names = this.#staged(folder);
    return { folder, names: typeof names === 'string' ? [] : names.map((name) => this.mask.name(name)) };
  }

  /** What an agent has printed so far; empty: nothing, or its attempt has no such file. */
  printed(turn: string, attempt: number, round: number): string {
    const path = join(attemptPath(turn, attempt), roundName('stdout', round));
    return this.#disk.read(path, mostPrinted)?.toString('utf8') ?? '';
  }

  /** Where `open` makes the staging folder of an attempt; absolute. */
  outboxOf(turn: string, attempt: number): string {
    return `${this.#disk.root}/${join(attemptPath(turn, attempt), 'outbox')}`;
  }

  /** A folder for files that lie in no checkout, empty at first but for these folders; absolute. */
  others(turn: string, attempt: number, folders: readonly string[]): string {
    const folder = join(this.#attemptFolder(turn, attempt), 'files');
    this.#clear(folder);
    for (const each of ['', ...folders]) this.#folder(each === '' ? folder : `${folder}/${each}`);
    return `${this.#disk.root}/${folder}`;
  }

  /** Writes the result for people to read. */
  result(turn: string, attempt: number, round: number, document: unknown): void {
    const path = join(this.#attemptFolder(turn, attempt), roundName('result.json', round));
    this.#disk.write(path, `${JSON.stringify(document, null, 2)}\n`);
  }

  /** Adds to the reports of the result. */
  report(turn: string, attempt: number, round: number, reports: readonly string[]): void {
    const path = join(this.#attemptFolder(turn, attempt), roundName('result.json', round));
    const content = readContent(this.#disk, path);
    const written = content !== 'gone' && content.ok ? content.text : '{}';
    const known = orElse(() => JSON.parse(written) as { readonly reported?: readonly string[] }, {});
    this.result(turn, attempt, round, { ...known, reported: [...(known.reported ?? []), ...reports] });
  }

  /** Writes what an agent changed in its workspace, for people to read. */
  difference(turn: string, attempt: number, round: number, text: string): void {
    this.#disk.write(join(this.#attemptFolder(turn, attempt), roundName('changes.patch', round)), text);
  }

  #attemptFolder(turn: string, attempt: number): string {
    this.#folder(join(turnsFolder, turn));
    return this.#folder(attemptPath(turn, attempt));
  }

  /**
   * Creates the folder; removes anything that an agent put in its place, such as a link that leads
   * elsewhere.
   */
  #folder(path: string): string {
    const kind = this.#disk.look(path)?.kind ?? 'folder';
    if (kind !== 'folder') this.#disk.remove(path);
    this.#disk.makeFolder(path);
    return path;
  }

  #stagedContent(path: string, name: string): Found {
    const look = this.#disk.look(path);
    if (look?.kind === 'file' && !name.endsWith('.md')) return problem('its name does not end in .md');
    const content = readContent(this.#disk, path);
    // Masked as a name: a weak secret may be a word of the message's header.
    return content === 'gone' || !content.ok ? content : { ...content, text: this.mask.name(content.text) };
  }

  /**
   * Removes what an earlier round left at this path; where that could take as long as an agent
   * wants (many files, or folders), moves it to another name instead, which takes one rename.
   */
  #clear(path: string): void {
    const isFolder = this.#disk.look(path)?.kind === 'folder';
    const names = isFolder ? orElse(() => this.#disk.list(path, listedFiles) ?? [], null) : [];
    const isFlat = (inner: readonly string[]) =>
      inner.length <= stagedFiles &&
      inner.every((name) => this.#disk.look(join(path, name))?.kind !== 'folder');
    if (names !== null && isFlat(names)) this.#disk.remove(path);
    else moveFree(this.#disk, path, `${path}-earlier`);
  }

  /** The names in a staging folder, or why it cannot be used, in words. */
  #staged(outbox: string): string[] | string {
    let why = '';
    const names = this.#unlessRefused(
      () => {
        const kind = this.#disk.look(outbox)?.kind ?? 'folder';
        if (kind === 'folder') return this.#disk.list(outbox, listedFiles) ?? [];
        why = `the staging folder was replaced by a ${kind}`;
        return null;
      },
      (refusal) => (why = refusal),
    );
    if (names === null) return why;
    const shown = names.filter((name) => !name.startsWith('.'));
    const isWhole = names.length < listedFiles && shown.length <= stagedFiles;
    // As a person counts: `2.md` before `10.md`.
    const order = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true }) || (a < b ? -1 : 1);
    return isWhole ? shown.toSorted(order) : `${tooManyText}; they lie unread in ${parentOf(outbox)}`;
  }

  /**
   * Null where the system refuses: the agent caused it and is notified. A link is not followed, and
   * a folder may forbid that it is listed.
   */
  #unlessRefused<T>(act: () => T, refused: (why: string) => void = () => {}): T | null {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof MailroomError) || (error.code !== 'E_PATH' && !isDenied(error))) throw error;
      refused(error.message);
      return null;
    }
  }
}

/** So many entries of a checkout's mail folders are looked at. */
const listedStrays = 10_000;

const tooManyText = `there are more than ${counted(stagedFiles, 'file')}`;
const tooMuchText = `all files together have more than ${bytesInWords(stagedBytes)}`;

function outboxPath(role: RoleName): string {
  return join(join('agents', role), 'outbox');
}

function attemptPath(turn: string, attempt: number): string {
  return join(join(turnsFolder, turn), String(attempt));
}

/** `prompt.md`, and `prompt-2.md` in round 2. */
function roundName(name: string, round: number): string {
  if (round === 0) return name;
  const dot = name.indexOf('.');
  return dot < 0 ? `${name}-${round}` : `${name.slice(0, dot)}-${round}${name.slice(dot)}`;
}

/** A fingerprint of the standing orders at the head of a prompt. */
export function ordersMark(orders: string): string {
  return digest(createHash('sha256').update(orders));
}

/** The standing orders with this fingerprint at the head of a prompt; empty: there are none. */
export function ordersIn(prompt: string, mark: string): string {
  const hash = createHash('sha256');
  let from = 0;
  for (let at = prompt.indexOf('\n\n'); at !== -1; at = prompt.indexOf('\n\n', at + 2)) {
    hash.update(prompt.slice(from, at));
    if (digest(hash.copy()) === mark) return prompt.slice(0, at);
    from = at;
  }
  return '';
}

function digest(hash: Hash): string {
  return hash.digest('base64url').slice(0, 16);
}
