import type { Disk } from '../../disk/disk.ts';
import { git } from '../../git/git.ts';
import { orElse } from '../../kernel/contained.ts';
import { shortId } from '../../kernel/ids.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { codeSpan, shellWord } from '../../kernel/quoting.ts';

/** Changed files in words. */
export interface DescribedChange {
  /** The files, each with who changed it, as far as git knows. */
  readonly what: string;
  /** The commands that show the change, in words; null: git has nothing to show. */
  readonly commands: string | null;
}

/** Git is asked for this many files; more are only counted. */
const most = 10;
/** A file of a definition is smaller, in bytes. */
const mostBytes = 1024 * 1024;
/** A history in which git searches for longer says nothing, in milliseconds. */
const timeoutMs = 10_000;

const described = new Map<string, { readonly of: string; readonly answer: Promise<DescribedChange> }>();

/**
 * Describes changed files (relative to the project). Git is asked once for each `fingerprint` of
 * their content.
 */
export function describeChange(
  disk: Disk,
  files: readonly string[],
  fingerprint: string,
): Promise<DescribedChange> {
  const key = JSON.stringify([disk.root, files]);
  const last = described.get(key);
  if (last?.of === fingerprint) return last.answer;
  const answer = describe(disk, files);
  described.set(key, { of: fingerprint, answer });
  return answer;
}

/** An imperative. */
export function lookAtChange({ commands }: DescribedChange): string {
  return commands === null ? 'look at the change' : `look at the change with ${commands}`;
}

async function describe(disk: Disk, files: readonly string[]): Promise<DescribedChange> {
  const changes = await Promise.all(files.slice(0, most).map((file) => changeOf(disk, file)));
  const more = files.length > most ? [`and ${String(files.length - most)} more`] : [];
  const shown = changes.map(({ file, by }) => (by === null ? oneLine(file) : `${oneLine(file)} (${by})`));
  const commands = [
    command(
      'git diff HEAD --',
      changes.filter(({ is }) => is === 'edited'),
    ),
    command(
      'git log -p --',
      changes.filter(({ is }) => is === 'committed'),
    ),
  ].filter((each) => each !== null);
  return {
    what: [...shown, ...more].join(', '),
    commands: commands.length === 0 ? null : commands.join(' and '),
  };
}

function command(start: string, changes: readonly Change[]): string | null {
  if (changes.length === 0) return null;
  return codeSpan([start, ...changes.map(({ place }) => shellWord(place))].join(' '));
}

interface Change {
  readonly file: string;
  /** The file that a link in its place leads to. */
  readonly place: string;
  /** `edited`: it differs from the last commit; `new`: git has no earlier form of it. */
  readonly is: 'committed' | 'edited' | 'new';
  /** Null: there is no repository. */
  readonly by: string | null;
}

/** Who made the file what it is. */
async function changeOf(disk: Disk, file: string): Promise<Change> {
  const place = orElse(() => disk.resolve(file), null) ?? file;
  const cwd = disk.root;
  // A landing is a commit of Mailroom, whatever the commits say that it brings.
  const format =
    '--format=%h%x00%an%x00%(trailers:key=Mailroom-Turn,valueonly)%x00%(trailers:key=Mailroom-Run,valueonly)';
  const args = ['log', '-1', '--first-parent', '--no-show-signature', format, '--', place];
  const [log, kept] = await Promise.all([
    git(args, { cwd, timeoutMs }),
    git(['cat-file', 'blob', `HEAD:./${place}`], { cwd, timeoutMs, maxOutputBytes: mostBytes }),
  ]);
  if (log.exitCode !== 0)
    return { file, place, is: 'new', by: /not a git repository/.test(log.stderr) ? null : 'not committed' };
  const isKept = kept.exitCode === 0;
  const [commit = '', author = '', turn = '', run = ''] = log.stdout.split('\0');
  const isSame = (isKept ? unix(kept.stdout) : null) === textOf(disk, place);
  if (commit === '' || !isSame) return { file, place, is: isKept ? 'edited' : 'new', by: 'not committed' };
  const by = `commit ${commit} by ${oneLine(author, 60)}${landed(turn.trim(), run.trim())}`;
  return { file, place, is: 'committed', by };
}

/** Null: there is no such file. */
function textOf(disk: Disk, path: string): string | null {
  const text = orElse(() => disk.read(path, mostBytes)?.toString('utf8') ?? null, null);
  return text === null ? null : unix(text);
}

/** Git may have changed the line ends in the working tree. */
function unix(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** The work of which turn or run a commit brought. */
function landed(turn: string, run: string): string {
  if (/^t\d+$/.test(turn)) return `, landed from turn ${turn}`;
  return /^[\da-f-]{36}$/.test(run) ? `, landed from run ${shortId(run)}` : '';
}
