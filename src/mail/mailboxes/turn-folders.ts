import { bytesInWords } from '../../kernel/bytes.ts';
import { orElse } from '../../kernel/contained.ts';
import { MailroomError } from '../../kernel/errors.ts';
import { unmasked, type Mask } from '../../kernel/mask.ts';
import { messageBytes, problem, readContent } from '../../disk/contents.ts';
import { isDenied, join } from '../../disk/disk.ts';
import type { Found } from '../../disk/contents.ts';
import type { Disk } from '../../disk/disk.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { StagedFile, TurnPaths } from '../../providers/provider.ts';
import { freeNames } from '../../disk/file-names.ts';
import { latestLines, type OutputReading } from '../../host/latest-output.ts';

export const turnsFolder = '.mailroom/turns';
/** One git worktree for each thread, or for each role of it. */
const worktreesFolder = '.mailroom/worktrees';

/**
 * The maximum number of files in one staging folder: more are an error, and must not exhaust the
 * memory.
 */
const stagedFiles = 1_000;
const stagedBytes = 16 * messageBytes;

/** More than a program can print before it is ended. */
const mostPrinted = 64 * 1024 * 1024;

/** The folders in which agents work: `.mailroom/turns/<turn>/<attempt>/`. */
export class TurnFolders {
  readonly #disk: Disk;
  readonly #mask: Mask;

  /** `mask`: for the agents' texts. */
  constructor(disk: Disk, mask = unmasked) {
    this.#disk = disk;
    this.#mask = mask;
  }

  /**
   * Creates `.mailroom/turns/<turn>/<attempt>/` with the prompt, read-only copies of the messages
   * and an empty staging folder (`keepStaging`: a later round of the same attempt keeps its files).
   * `prompt` receives the absolute path of the staging folder. Returns absolute paths.
   */
  open(
    turn: string,
    attempt: number,
    round: number,
    prompt: (outbox: string) => string,
    messages: readonly { name: string; text: string }[],
    keepStaging: boolean,
  ): TurnPaths {
    const folder = this.#attemptFolder(turn, attempt);
    const copies = this.#folder(join(folder, 'messages'));
    const outbox = join(folder, 'outbox');
    if (!keepStaging) this.#disk.remove(outbox);
    this.#folder(outbox);
    const absolute = (path: string): string => `${this.#disk.root}/${path}`;
    const paths = messages.map(({ name }) => join(copies, name));
    for (const [index, path] of paths.entries()) {
      this.#disk.write(path, messages[index]?.text ?? '', { mode: 0o444 });
    }
    const promptPath = join(folder, roundName('prompt.md', round));
    this.#disk.write(promptPath, prompt(absolute(outbox)));
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
   * by name, without dot files. A file that is not a readable `.md` file comes with the reason.
   */
  collect(turn: string, attempt: number, round: number): StagedFile[] {
    const folder = attemptPath(turn, attempt);
    const outbox = join(folder, 'outbox');
    const names = this.#staged(outbox);
    if (typeof names === 'string') return [{ name: 'outbox', content: problem(names) }];
    const collected = join(folder, `collected-${round}`);
    this.#disk.remove(collected);
    const staged: StagedFile[] = [];
    let bytes = 0;
    for (const name of names) {
      if (staged.length === stagedFiles) {
        staged.push({ name, content: problem(`there are more than ${stagedFiles} files`) });
        break;
      }
      const content = this.#stagedContent(join(outbox, name), name);
      if (content === 'gone') continue;
      bytes += content.ok ? Buffer.byteLength(content.text) : 0;
      const tooMuch = content.ok && bytes > stagedBytes;
      if (content.ok && !tooMuch) this.#disk.write(join(collected, name), content.text);
      staged.push({ name, content: tooMuch ? problem(tooMuchText) : content });
    }
    return staged;
  }

  /**
   * Moves a file that a role wrote into its own outbox during its turn to the staging folder, under
   * another name if its own is used.
   */
  stage(turn: string, attempt: number, name: string, from: { role: RoleName; name: string }): boolean {
    const outbox = join(attemptPath(turn, attempt), 'outbox');
    // `collect` reports what an agent has put in its place.
    if (typeof this.#staged(outbox) === 'string') return false;
    const source = join(join(join('agents', from.role), 'outbox'), from.name);
    for (const free of freeNames(name)) {
      const moved = this.#disk.rename(source, join(outbox, free), { replace: false });
      if (moved !== 'exists') return moved === 'moved';
    }
    return false;
  }

  /**
   * Mail in mail folders of a checkout below `.mailroom/worktrees/`, which Mailroom does not read.
   */
  strays(worktree: string): string[] {
    const agents = join(join(worktreesFolder, worktree), 'agents');
    const listed = (folder: string) =>
      this.#disk.look(folder)?.kind === 'folder' ? (this.#disk.list(folder) ?? []) : [];
    return listed(agents).flatMap((role) =>
      ['inbox', 'outbox'].flatMap((box) => {
        const folder = join(join(agents, role), box);
        if (this.#disk.look(join(agents, role))?.kind !== 'folder') return [];
        return listed(folder)
          .filter((name) => name.endsWith('.md'))
          .map((name) => `agents/${role}/${box}/${name}`);
      }),
    );
  }

  /** The last lines that an agent has printed, the newest last. `said`: reads its events. */
  latest(
    { id, attempt, round }: { readonly id: string; readonly attempt: number; readonly round: number },
    most: number,
    said: OutputReading['said'],
  ): readonly string[] {
    const file = (name: string) => join(attemptPath(id, attempt), roundName(name, round));
    const files = { stdout: file('stdout'), stderr: file('stderr') };
    return latestLines(this.#disk, files, most, { mask: this.#mask, said });
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
    this.#disk.remove(folder);
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
    return content === 'gone' || !content.ok ? content : { ...content, text: this.#mask.name(content.text) };
  }

  /** The names in a staging folder, or why it cannot be used, in words. */
  #staged(outbox: string): string[] | string {
    try {
      const kind = this.#disk.look(outbox)?.kind ?? 'folder';
      if (kind !== 'folder') return `the staging folder was replaced by a ${kind}`;
      const names = this.#disk.list(outbox) ?? [];
      return names.filter((name) => !name.startsWith('.')).toSorted();
    } catch (error) {
      // The agent caused it and is notified: a link, which is not followed, or a folder that cannot
      // be listed.
      if (error instanceof MailroomError && (error.code === 'E_PATH' || isDenied(error)))
        return error.message;
      throw error;
    }
  }
}

const tooMuchText = `all files together have more than ${bytesInWords(stagedBytes)}`;

function attemptPath(turn: string, attempt: number): string {
  return join(join(turnsFolder, turn), String(attempt));
}

/** `prompt.md`, and `prompt-2.md` in round 2. */
function roundName(name: string, round: number): string {
  if (round === 0) return name;
  const dot = name.indexOf('.');
  return dot < 0 ? `${name}-${round}` : `${name.slice(0, dot)}-${round}${name.slice(dot)}`;
}
