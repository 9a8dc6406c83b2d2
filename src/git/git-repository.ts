import { randomUUID } from 'node:crypto';
import { MailroomError } from '../kernel/errors.ts';
import { git, whyGitFailed } from './git.ts';
import type { RunResult } from '../process/run.ts';
import { trailPlace, type TrailPlace } from './trail-place.ts';
import type { TrailChange, TrailEntry } from './trail.ts';

interface GitRepositoryOptions {
  /** The project's folder, absolute; it may be any folder below the top of a working tree. */
  readonly project: string;
  /** Without `refs/heads/`; see `trailPlace`. */
  readonly branch: string;
}

interface Tip {
  /** Null: the branch does not exist yet. */
  readonly commit: string | null;
  /** Why the branch must not be written. */
  readonly refusal: MailroomError | null;
}

const settings = [
  // One pack for each batch: `gc --prune=now` must not delete it before its ref exists, which git
  // cannot ensure for loose objects, and the trees of full mail folders take a fiftieth of the
  // space.
  'fastimport.unpackLimit=0',
  // Other git processes hold a lock only briefly.
  'core.filesRefLockTimeout=2000',
  'core.packedRefsTimeout=5000',
].flatMap((setting) => ['-c', setting]);

/** The message of `fast-import` when its files were deleted, or others exist where it writes. */
const vanishedPack = /cannot (?:create|store) |No such file or directory/;

const importTimeout = 600_000;
/** How often another process may move the branch before `append` fails. */
const races = 10;
/** How often a batch is imported before `append` fails. */
const imports = 4;
/**
 * Batches between two checks of the number of packs; small packs are merged below the 50 at which
 * git would repack everything.
 */
const packsLookedAtEvery = 8;
const manyPacks = 40;

/**
 * The trail's branch in the git repository that a project lies in; implements the engine's
 * `TrailRepository`. Uses only plumbing commands, and neither an index nor a working tree. Must not
 * be used twice at once for one project.
 */
export class GitRepository {
  readonly #project: string;
  /** The configured one until the place is known. */
  #branch: string;
  #place: TrailPlace | null = null;
  #batches = 0;
  /**
   * The last known tip of the branch and this project's newest commit on it. Null: not read yet.
   */
  #seen: { readonly tip: string | null; readonly own: string | null } | null = null;
  /** Entries up to this number are on the branch although their import was not confirmed. */
  #written = -1;

  constructor(options: GitRepositoryOptions) {
    this.#project = options.project;
    this.#branch = options.branch;
  }

  /** The `Seq` of this project's newest commit on the branch; other commits are skipped. */
  async position(): Promise<
    | { readonly is: 'at'; readonly seq: number; readonly problem: string | null }
    | { readonly is: 'none'; readonly hint: string }
  > {
    const found = await this.#locate();
    if (typeof found === 'string') return { is: 'none', hint: found };
    const tip = await this.#tip();
    const own = await this.#own(tip.commit, found.email);
    this.#seen ??= { tip: tip.commit, own: own.commit };
    const problem = tip.refusal === null ? null : `${tip.refusal.message} (${String(tip.refusal.hint)})`;
    return { is: 'at', seq: own.seq, problem };
  }

  /**
   * Appends commits to the branch, in order, all or none. After an error the caller can pass the
   * same entries again.
   */
  async append(entries: readonly TrailEntry[]): Promise<void> {
    const place = await this.#locate();
    if (typeof place === 'string') throw new MailroomError('E_TRAIL', place);
    for (let race = 0; race < races; race++) {
      const tip = await this.#tip();
      if (tip.refusal !== null) throw tip.refusal;
      await this.#notice(place, tip.commit);
      const missing = entries.filter(({ seq }) => seq > this.#written);
      if (missing.length === 0) return;
      const commit = await this.#import(place, missing, tip.commit);
      if (await this.#move(place, commit, tip.commit)) {
        this.#seen = { tip: commit, own: commit };
        return this.#tidy();
      }
    }
    throw new MailroomError(
      'E_TRAIL',
      `something else keeps moving the branch ${this.#branch}`,
      'give this project a branch of its own with `trail.branch`',
    );
  }

  /** What people should know of the branch, once the position was read; null: nothing. */
  get note(): string | null {
    return this.#place?.note ?? null;
  }

  get #ref(): string {
    return `refs/heads/${this.#branch}`;
  }

  /** Where the project lies in its repository, or in one line why it has no trail. */
  async #locate(): Promise<TrailPlace | string> {
    if (this.#place !== null) return this.#place;
    const found = await trailPlace(this.#branch, (args) => this.#git(args));
    if (typeof found === 'string') return found;
    this.#branch = found.branch;
    return (this.#place = found);
  }

  async #tip(): Promise<Tip> {
    const format = '%(refname)%0a%(objectname)%0a%(symref)%0a%(worktreepath)';
    const look = await this.#must(['for-each-ref', `--format=${format}`, this.#ref]);
    const lines = look.split('\n');
    // The pattern also matches refs in a folder of that name.
    const at = lines.findIndex((line, index) => index % 4 === 0 && line === this.#ref);
    if (at === -1) return { commit: null, refusal: await this.#unbornRefusal() };
    const [commit = '', symref = '', worktree = ''] = lines.slice(at + 1);
    if (symref !== '') return { commit, refusal: this.#refuse(`is another name of ${symref}`) };
    return { commit, refusal: worktree === '' ? null : this.#refuse(`is checked out in ${worktree}`) };
  }

  /**
   * A branch without a commit can be checked out too; the first commit of the trail would change
   * that checkout.
   */
  async #unbornRefusal(): Promise<MailroomError | null> {
    const worktrees = await this.#must(['worktree', 'list', '--porcelain']);
    const taken = worktrees.split('\n').includes(`branch ${this.#ref}`);
    return taken ? this.#refuse('is checked out, without a commit yet') : null;
  }

  #refuse(why: string): MailroomError {
    const hint = 'switch to another branch there, or name another one for the trail with `trail.branch`';
    return new MailroomError(
      'E_TRAIL',
      `the branch ${this.#branch} ${why}, so no trail is written to it`,
      hint,
    );
  }

  /** The newest commit of this project below a tip. */
  async #own(tip: string | null, email: string): Promise<{ commit: string | null; seq: number }> {
    if (tip === null) return { commit: null, seq: 0 };
    const match = ['--fixed-strings', `--author=<${email}>`, '--grep=Seq: '];
    const format = ['--encoding=UTF-8', '--format=%x00%H%n%B', '--max-count=20'];
    const log = await this.#must(['rev-list', ...match, ...format, tip, '--']);
    for (const record of log.split('\0').slice(1)) {
      const [commit = '', ...message] = record.replace(/\ncommit \S+\n$/, '').split('\n');
      const trailers = message.join('\n').trim().split('\n\n').at(-1) ?? '';
      const seq = /^Seq: (\d+)$/m.exec(trailers)?.[1];
      if (seq !== undefined) return { commit, seq: Number(seq) };
    }
    return { commit: null, seq: 0 };
  }

  /**
   * Unknown commits of this project are a batch whose answer was lost, or one that the git process
   * of a killed controller finished after the next controller had started. They must not be written
   * again.
   */
  async #notice(place: TrailPlace, tip: string | null): Promise<void> {
    if (this.#seen?.tip === tip) return;
    const own = await this.#own(tip, place.email);
    if (this.#seen !== null && this.#seen.own !== own.commit) this.#written = own.seq;
    this.#seen = { tip, own: own.commit };
  }

  async #import(place: TrailPlace, entries: readonly TrailEntry[], tip: string | null): Promise<string> {
    const stream = renderImport(entries, { ...place, tip });
    let failed: RunResult | null = null;
    for (let attempt = 0; attempt < imports; attempt++) {
      // Another process's `gc --prune=now` can delete the unfinished pack. Its remains then block
      // the same pack, so the next attempt makes a different one.
      const stdin = failed === null ? stream : `blob\n${data(randomUUID())}${stream}`;
      // Forced: a ref left by a crash may have any value.
      failed = await this.#git(['fast-import', '--quiet', '--force', '--done'], stdin, importTimeout);
      if (failed.exitCode === 0) return failed.stdout.trim();
      if (!vanishedPack.test(failed.stderr)) break;
    }
    throw failure('fast-import', failed);
  }

  /** Moves the branch in one transaction. False: the branch was not at the expected commit. */
  async #move(place: TrailPlace, commit: string, tip: string | null): Promise<boolean> {
    const branch = tip === null ? `create ${this.#ref} ${commit}` : `update ${this.#ref} ${commit} ${tip}`;
    const stdin = `${branch}\ndelete ${place.importRef} ${commit}\n`;
    // A `gc` that saw the branch before this move and the import after it reads the reflog last.
    const options = ['--no-deref', '--create-reflog', '-m', 'trail', '--stdin'];
    const moved = await this.#git(['update-ref', ...options], stdin);
    if (moved.exitCode === 0) return true;
    const now = await this.#tip();
    if (now.commit !== tip) return false;
    throw failure('update-ref', moved);
  }

  /**
   * Thousands of packs with one commit each would slow every git command in the repository down.
   */
  async #tidy(): Promise<void> {
    if (this.#batches++ % packsLookedAtEvery !== 0) return;
    const { stdout } = await this.#git(['count-objects', '-v']);
    const packs = Number(/^packs: (\d+)$/m.exec(stdout)?.[1] ?? 0);
    if (packs < manyPacks) return;
    // Merges only the smallest packs and drops no object. A git that lacks the option (before 2.32)
    // is left to its own gc.
    await this.#git(['repack', '-d', '-l', '-q', '--geometric=2'], '', importTimeout);
  }

  async #must(args: readonly string[], stdin: string | Buffer = '', timeoutMs?: number): Promise<string> {
    const result = await this.#git(args, stdin, timeoutMs);
    if (result.exitCode !== 0) throw failure(args[0] ?? '', result);
    return result.stdout;
  }

  #git(args: readonly string[], stdin: string | Buffer = '', timeoutMs = 60_000): Promise<RunResult> {
    return git([...settings, ...args], {
      cwd: this.#project,
      stdin,
      timeoutMs,
      env: { GIT_NO_REPLACE_OBJECTS: '1' },
      identity: { name: 'Mailroom', email: this.#place?.email ?? 'mailroom@localhost' },
    });
  }
}

function failure(command: string, result: RunResult | null): MailroomError {
  const why = result === null ? '' : whyGitFailed(result);
  return new MailroomError('E_TRAIL', `git ${command} failed: ${why}`);
}

/** The commits as a stream for `git fast-import`, which prints the id of the last one. */
function renderImport(
  entries: readonly TrailEntry[],
  at: TrailPlace & { readonly tip: string | null },
): string {
  const lines: string[] = [];
  for (const [index, { at: date, subject, trailers, changes }] of entries.entries()) {
    const who = `Mailroom <${at.email}> ${String(Math.max(0, Math.floor(date / 1000)))} +0000\n`;
    const message = `${subject}\n\n${trailers.map(([name, value]) => `${name}: ${value}\n`).join('')}`;
    lines.push(`commit ${at.importRef}\nmark :1\nauthor ${who}committer ${who}`, data(message));
    if (index === 0 && at.tip !== null) lines.push(`from ${at.tip}\n`);
    for (const change of changes) lines.push(renderChange(at.prefix, change));
  }
  lines.push('get-mark :1\ndone\n');
  return lines.join('');
}

function renderChange(prefix: string, { path, text }: TrailChange): string {
  const full = `${prefix}${path}`;
  // Git allows none of these in a tree, and one of them would make the whole batch fail.
  if (full.split('/').some((part) => /^(?:\.{0,2}|\.git)$/i.test(part)) || full.includes('\0')) return '';
  return text === null ? `D ${quoted(full)}\n` : `M 100644 inline ${quoted(full)}\n${data(text)}`;
}

function data(text: string): string {
  return `data ${String(Buffer.byteLength(text))}\n${text}\n`;
}

/** A path in git's quoting: none of its characters can end the line. */
function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}
