import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { scratchRoot } from '../../support/scratch.ts';
import { mutations } from './list.ts';
import { mutated, type Mutation } from './mutation.ts';

/**
 * `npm run mutate` breaks the program in each way of the list, in a copy, and says which test noticed. `--only WORDS`
 * chooses those whose mechanism or file has these words.
 */
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });

const checkout = fileURLToPath(new URL('../../..', import.meta.url));
/** A test that waits for what never comes fails by its own limit, which is shorter. */
const limitMs = 10 * 60_000;

/** The report of Vitest, as far as it is read here. */
interface Report {
  readonly testResults: readonly {
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
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

/** Runs these files of tests; resolves to the tests that failed, by name. */
function failing(root: string, files: readonly string[]): Promise<string[]> {
  const report = join(root, 'mutant.json');
  rmSync(report, { force: true });
  const words = ['vitest', 'run', '--bail=1', '--reporter=json', `--outputFile=${report}`, ...files];
  const child = spawn('npx', words, { cwd: root, stdio: 'ignore', detached: true });
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), limitMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      try {
        resolve(failedIn(JSON.parse(readFileSync(report, 'utf8')) as Report));
      } catch {
        resolve(['(the tests did not end)']);
      }
    });
  });
}

function failedIn({ testResults }: Report): string[] {
  const names = testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ status, fullName }) => (status === 'failed' ? [fullName] : [])),
  );
  const [unread] = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  if (names.length === 0 && unread !== undefined)
    throw new Error(`a file of tests could not be read: ${unread.message}`);
  return names;
}

async function play(root: string, mutation: Mutation): Promise<string[]> {
  const path = join(root, 'src', mutation.file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, mutated(text, mutation));
  try {
    return await failing(root, mutation.seenBy);
  } finally {
    writeFileSync(path, text);
  }
}

const chosen = mutations.filter(({ mechanism, file }) => `${mechanism} ${file}`.includes(values.only));
const root = copied();
let missed = 0;
try {
  const broken = await failing(root, [...new Set(chosen.flatMap(({ seenBy }) => seenBy))]);
  if (broken.length > 0) throw new Error(`these fail without any mutation: ${broken.join('; ')}`);
  for (const mutation of chosen) {
    const began = performance.now();
    const [test] = await play(root, mutation);
    if (test === undefined) missed += 1;
    const took = ((performance.now() - began) / 1000).toFixed(0);
    process.stdout.write(
      `${test === undefined ? 'MISSED' : 'seen'}  ${mutation.mechanism} (${mutation.file}, ${took} s)\n`,
    );
    process.stdout.write(`        ${test ?? `\`${mutation.from}\` -> \`${mutation.to}\``}\n`);
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
process.stdout.write(`${String(chosen.length - missed)} of ${String(chosen.length)} mutations were seen\n`);
process.exitCode = missed === 0 ? 0 : 1;
