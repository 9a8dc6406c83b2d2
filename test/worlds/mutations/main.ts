import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { scratchRoot } from '../../support/scratch.ts';
import { mutations } from './list.ts';
import { mutated, type Mutation } from './mutation.ts';

/**
 * `npm run mutate` breaks the program in each way of the list and prints which test noticed. The files of the checkout
 * stay as they are: all happens in a copy. `--only WORDS` chooses those whose mechanism or file has these words. It
 * fails when fewer than 95 % are seen.
 */
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });

const checkout = fileURLToPath(new URL('../../..', import.meta.url));
/** A test that waits for what never comes fails by its own limit, which is shorter. */
const limitMs = 10 * 60_000;

/** The report of Vitest, as far as it is read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** A test that failed, or one that did not end. */
interface Failing {
  readonly file: string;
  readonly test: string;
}

/** The files of this checkout, in a folder of their own. */
function copied(): string {
  const root = mkdtempSync(join(scratchRoot(), 'mailroom-mutants-'));
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const named = execFileSync('git', list, { cwd: checkout, encoding: 'utf8', maxBuffer: 1e8 });
  for (const path of named.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(checkout, path), join(root, path), { force: true, verbatimSymlinks: true });
  }
  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
  return root;
}

/** What runs now, with all that it has started. */
let running: ChildProcess | null = null;

function end(): void {
  if (running?.pid !== undefined) process.kill(-running.pid, 'SIGKILL');
}

/** Runs these files of tests; resolves to what failed. */
function failing(root: string, files: readonly string[]): Promise<Failing[]> {
  const report = join(root, 'mutant.json');
  rmSync(report, { force: true });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const words = ['run', '--reporter=json', `--outputFile=${report}`, ...files];
  // With more files, the first failure can keep Vitest from reporting itself.
  if (files.length === 1) words.push('--bail=1');
  const child = spawn(process.execPath, [vitest, ...words], {
    cwd: root,
    stdio: 'ignore',
    detached: true,
  });
  running = child;
  const timer = setTimeout(end, limitMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      running = null;
      clearTimeout(timer);
      if (!existsSync(report)) return resolve([{ file: files.join(', '), test: '(it did not end)' }]);
      try {
        resolve(failedIn(root, JSON.parse(readFileSync(report, 'utf8')) as Report));
      } catch (error) {
        reject(error);
      }
    });
  });
}

/** A file that cannot be loaded sees nothing: its mutation is no program. */
function failedIn(root: string, { testResults }: Report): Failing[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    if (status === 'failed' && assertionResults.length === 0)
      throw new Error(`${file} cannot be loaded: ${message}`);
    return assertionResults.flatMap(({ status: each, fullName }) =>
      each === 'failed' ? [{ file, test: fullName }] : [],
    );
  });
}

async function play(root: string, mutation: Mutation): Promise<Failing[]> {
  const path = join(root, 'src', mutation.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, mutated(text, mutation));
  try {
    return await failing(root, mutation.seenBy);
  } finally {
    writeFileSync(path, text);
  }
}

/** Rows of a table, of which the first one is its head. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** The least share of mutations that must be seen. */
const enough = 0.95;

const chosen = mutations.filter(({ mechanism, file }) => `${mechanism} ${file}`.includes(values.only));
if (chosen.length === 0) throw new Error(`no mutation has the words: ${values.only}`);
// Before anything runs: a mutation that does not fit any more would be found only after many minutes.
for (const mutation of chosen) mutated(readFileSync(join(checkout, 'src', mutation.file), 'utf8'), mutation);
const root = copied();
process.on('exit', () => rmSync(root, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    end();
    process.exit(130);
  });
const [broken] = await failing(root, [...new Set(chosen.flatMap(({ seenBy }) => seenBy))]);
if (broken !== undefined) throw new Error(`this fails without any mutation: ${broken.file}, ${broken.test}`);
const rows: string[][] = [];
let seen = 0;
for (const mutation of chosen) {
  const began = performance.now();
  const [first] = await play(root, mutation);
  if (first !== undefined) seen += 1;
  const by = first === undefined ? 'MISSED' : `${first.file}: ${first.test}`;
  rows.push([mutation.mechanism, by, ((performance.now() - began) / 1000).toFixed(0)]);
  process.stderr.write(`${String(rows.length)} of ${String(chosen.length)}: ${mutation.mechanism}: ${by}\n`);
}
process.stdout.write(table([['mechanism', 'caught by', 'seconds'], ...rows]));
process.stdout.write(`\n${String(seen)} of ${String(chosen.length)} mutations were seen\n`);
process.exitCode = seen >= enough * chosen.length ? 0 : 1;
