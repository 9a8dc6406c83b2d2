import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { onTestFinished } from 'vitest';
import { TrailWriter, type TrailRepository } from '../../../src/mail/trail/writer.ts';
import { GitRepository } from '../../../src/git/git-repository.ts';

export const branch = 'mailroom-trail';
const path = process.env['PATH'] ?? '';
const realGit = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mailroom-trail-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

const identity = ['-c', 'user.name=A Person', '-c', 'user.email=person@example.org'];

/** Git as a person uses it, with hooks and all; throws what git says when it fails. */
export function person(folder: string, args: readonly string[], input?: string): string {
  const run = spawnSync(realGit, [...identity, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: path, HOME: process.env['HOME'] ?? folder },
    maxBuffer: 256 * 1024 * 1024,
    ...(input === undefined ? {} : { input }),
  });
  if (run.status !== 0) throw new Error(`git ${args.join(' ')}: ${run.stderr}`);
  return run.stdout;
}

/** A repository with one commit of its owner on the branch `main`. */
export function repository(...options: string[]): string {
  const folder = temporaryFolder();
  person(folder, ['init', '--quiet', '--initial-branch=main', ...options]);
  write(folder, 'README.md', 'Hello\n');
  person(folder, ['add', '.']);
  person(folder, ['commit', '--quiet', '--message=First']);
  return folder;
}

export function write(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

export function open(project: string, name: string = branch): TrailWriter {
  return new TrailWriter({ repository: new GitRepository({ project, branch: name }) });
}

export interface Commit {
  readonly subject: string;
  readonly trailers: readonly (readonly [string, string])[];
}

/** The commits of a branch, oldest first, with the trailers that git itself finds in them. */
export function commitsOf(folder: string, name: string = branch): Commit[] {
  const format = '%x1e%s%x1f%(trailers:only=true,unfold=true)';
  const log = person(folder, ['log', '--reverse', `--format=${format}`, `refs/heads/${name}`, '--']);
  return log
    .split('\x1e')
    .slice(1)
    .map((record) => {
      const [subject = '', trailers = ''] = record.split('\x1f');
      const lines = trailers.split('\n').filter((line) => line !== '');
      return { subject, trailers: lines.map((line) => split(line)) };
    });
}

function split(line: string): [string, string] {
  const colon = line.indexOf(': ');
  return [line.slice(0, colon), line.slice(colon + 2)];
}

/** The files of a branch's last commit, by path from the top of the repository. */
export function filesOf(folder: string, name: string = branch): Map<string, string> {
  const list = person(folder, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', `refs/heads/${name}`]);
  const paths = list.split('\0').filter((each) => each !== '');
  return new Map(
    paths.map((each) => [each, person(folder, ['cat-file', 'blob', `refs/heads/${name}:${each}`])]),
  );
}

export function seqsOf(folder: string, name: string = branch): number[] {
  return commitsOf(folder, name).map(({ trailers }) => Number(trailers.find(([key]) => key === 'Seq')?.[1]));
}

/** Sets variables of this process until the test ends. */
export function setEnvironment(variables: Readonly<Record<string, string>>): void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  onTestFinished(() => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
  });
}

/** Puts a program called `git` before the real one. `script` may use `$GIT`, and `$COUNT`: how often it updated refs. */
export function disguiseGit(script: string): void {
  const folder = temporaryFolder();
  const text = `#!/bin/sh
GIT='${realGit}'
case " $* " in *" update-ref "*) echo >> '${folder}/calls' ;; esac
COUNT=$(cat '${folder}/calls' | wc -l)
${script}
exec "$GIT" "$@"
`;
  writeFileSync(join(folder, 'calls'), '');
  writeFileSync(join(folder, 'git'), text);
  chmodSync(join(folder, 'git'), 0o755);
  setEnvironment({ PATH: `${folder}${delimiter}${path}` });
}

export function trailOf(project: string, name: string = branch): TrailRepository {
  return new GitRepository({ project, branch: name });
}

/** Every ref of a repository. */
export function refsOf(folder: string): string[] {
  return person(folder, ['for-each-ref', '--format=%(refname)']).trim().split('\n');
}
