import type { Capability } from './capabilities.ts';
import { enumerate, listed } from './enumerate.ts';
import { ruleNames } from './rule-names.ts';

/*
 * A program with more permissions than an agent that may write what the program runs is the
 * agent's deputy.
 */

/** What a process may do. */
export interface Powers {
  /** Null: everything. */
  readonly capabilities: readonly Capability[] | null;
  readonly network: boolean;
  readonly sandboxed: boolean;
}

/** A process that may write files. */
export interface Writer extends Powers {
  readonly name: string;
  /** The folder that it may write in, relative to the project; `.`: all of it. */
  readonly folder: string;
}

/** Who may write what the steps of a project run, and what contains whom. */
export interface Deputies {
  /** The roles of the protocol that may write files of the project. */
  readonly roles: readonly Writer[];
  /** Globs of the branches that only a person moves. */
  readonly protectedBranches: readonly string[];
  /** What a process may do in fact. `provider` null: a command or script of the author. */
  readonly powersOf: (
    provider: string | null,
    capabilities: readonly Capability[] | null,
    network: boolean,
  ) => Powers;
}

/** A file that a command runs, and where its text names it. */
export interface RunFile {
  /** Relative to the folder that the command runs in. */
  readonly path: string;
  /** The argument, or the offset in a script. */
  readonly at: number;
  /** The number of characters that name it. */
  readonly length: number;
}

/** What a process has that a writer has not, in words; empty: nothing. */
export function gains(writer: Powers, runner: Powers): string[] {
  const more = levelOf(runner) > levelOf(writer);
  return [
    ...(more ? [levelOf(runner) === 2 ? 'RUN_COMMANDS' : 'RUN_TESTS'] : []),
    ...(runner.network && !writer.network ? ['network access'] : []),
    ...(writer.sandboxed && !runner.sandboxed ? ['no sandbox'] : []),
  ];
}

/** A program that Mailroom starts for the author beside runs and turns, in no sandbox. */
export const outside: Powers = { capabilities: null, network: true, sandboxed: false };

interface Deputy {
  readonly writers: readonly Writer[];
  readonly path: string;
  /** What runs the file, as words of a sentence. */
  readonly runner: string;
  readonly powers: Powers;
  /** How a person could see the file before; empty: not at all. */
  readonly ways: readonly string[];
}

/** What `gains` means for the writers of a file, and what would be right. */
export function deputyProblem({ writers, path, runner, powers, ways }: Deputy) {
  const got = [...new Set(writers.flatMap((each) => gains(each, powers)))];
  const names = enumerate([...new Set(writers.map(({ name }) => name))]);
  const less = got.map((each) => {
    if (each === 'no sandbox') return '`sandbox: required` in mailroom.yaml';
    return each === 'network access' ? '`network: false`' : 'fewer `capabilities`';
  });
  const give = powers === outside ? [] : [`give it no more than the writer has (${listed(less)})`];
  return {
    message:
      `${names} may write \`${path}\`, which ${runner} runs with ${listed(got)}: more than its writer has, ` +
      'and no person sees it before',
    hint: [...ways, ...give, `keep \`${path}\` where no agent may write`].join('; or '),
  };
}

/** A process that can move protected branches with git: the problem, and what would be right. */
export function unprotectedProblem(name: string, branches: readonly string[]) {
  return {
    message: `\`${name}\` has RUN_COMMANDS in no sandbox, so it can move the protected ${enumerate(branches)} with git and without an approval`,
    hint: 'set `sandbox: required` in mailroom.yaml, or leave RUN_COMMANDS out',
  };
}

/** How freely a process runs code: not at all, as tests, or as any command. */
function levelOf({ capabilities, sandboxed }: Powers): 0 | 1 | 2 {
  if (capabilities === null || capabilities.includes('RUN_COMMANDS')) return 2;
  // Without a sandbox nothing restricts what a program runs.
  return capabilities.includes('RUN_TESTS') ? (sandboxed ? 1 : 2) : 0;
}

/** Whether a process can change files: tests write what they build. */
export function isWriter({ capabilities }: Pick<Powers, 'capabilities'>): boolean {
  return capabilities === null || capabilities.some((right) => right !== 'READ');
}

/** Whether a writer may write a file, relative to the project. No process writes rules. */
export function mayWrite({ folder }: Writer, path: string): boolean {
  const [top = ''] = path.split('/');
  if (path.startsWith('..') || path.startsWith('/') || ruleNames.includes(top)) return false;
  return folder === '.' || path === folder || path.startsWith(`${folder}/`);
}

/** Programs that run a file which their first argument without a dash names. */
const interpreters =
  /^(?:(?:ba|da|z|k|fi)?sh|node|nodejs|deno|bun|tsx|ts-node|python[0-9.]*|ruby|perl|php|lua|Rscript|pwsh|osascript|source|\.)$/;

/** Options of these whose argument is code, or the name of a module. */
const inline = /^(?:-[a-z]*[cem]|--eval|--print|-p)$/;

/** Programs that run what a file of the project says, whatever their arguments. */
const projectFiles: Readonly<Record<string, string>> = {
  make: 'Makefile',
  gmake: 'Makefile',
  just: 'justfile',
  rake: 'Rakefile',
  tox: 'tox.ini',
  pytest: 'conftest.py',
  gradle: 'build.gradle',
  mvn: 'pom.xml',
  ant: 'build.xml',
  composer: 'composer.json',
};

/** The same where the first argument is one of these. */
const withVerb: Readonly<Record<string, readonly [file: string, verbs: RegExp]>> = {
  npm: [
    'package.json',
    /^(?:t|test|tst|run|run-script|start|restart|stop|ci|i|install|pack|publish|rebuild)$/,
  ],
  pnpm: ['package.json', /^(?!-|view|info|why|list|ls|config)/],
  yarn: ['package.json', /^(?!-|info|why|list|config)/],
  bun: ['package.json', /^(?:run|test|install|i)$/],
  deno: ['deno.json', /^(?:task|test)$/],
  cargo: ['Cargo.toml', /^(?:test|t|run|r|build|b|bench|check|c|clippy)$/],
  go: ['go.mod', /^(?:test|run|generate)$/],
};

/** Programs that run the program which their arguments name. */
const wrappers = /^(?:env|exec|time|nice|nohup|sudo|xargs|command|timeout|stdbuf|npx)$/;

/** The files of a project that a command line runs; null: a word that is not known before. */
export function filesRunBy(words: readonly (string | null)[], first = 0): RunFile[] {
  const skipped = words.findIndex((word, at) => at >= first && !/^[A-Za-z_]\w*=/.test(word ?? ''));
  const [program, from] = [words[skipped] ?? null, skipped + 1];
  if (skipped < 0 || program === null) return [];
  const found = (path: string, at: number): RunFile => ({ path, at, length: (words[at] ?? '').length });
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (wrappers.test(name)) {
    const next = words.findIndex((word, at) => at >= from && !/^(?:-.*|[0-9.]+[smhd]?)$/.test(word ?? ''));
    return next < 0 ? [] : filesRunBy(words, next);
  }
  if (program.includes('/') && !program.startsWith('/') && !program.startsWith('~'))
    return [found(normal(program), skipped)];
  const option = words.findIndex((word, at) => at >= from && word !== null && !word.startsWith('-'));
  const verb = option < 0 ? undefined : words[option];
  const known = withVerb[name];
  if (known !== undefined && verb != null && known[1].test(verb)) return [found(known[0], skipped)];
  const file = projectFiles[name];
  if (file !== undefined) return [found(givenFile(words, from) ?? file, skipped)];
  if (!interpreters.test(name)) return [];
  const code = words.findIndex((word, at) => at >= from && inline.test(word ?? ''));
  if (code >= 0 && words[code] === '-m') return filesRunBy(words, code + 1);
  if (code >= 0 && (option < 0 || code < option)) return filesOfCode(name, words[code + 1] ?? null, code + 1);
  return verb == null || verb.startsWith('/') ? [] : [found(normal(verb), option)];
}

/** `make -f FILE`. */
function givenFile(words: readonly (string | null)[], from: number): string | null {
  const at = words.findIndex((word, index) => index >= from && (word === '-f' || word === '--file'));
  return at < 0 ? null : (words[at + 1] ?? null);
}

/** A shell runs code that names files as a script does. */
function filesOfCode(shell: string, code: string | null, at: number): RunFile[] {
  if (code === null || !shell.endsWith('sh')) return [];
  return filesRunByScript(code).map((file) => ({ ...file, at, length: code.length }));
}

/** The files of a project that a shell script runs. `at` counts from the beginning of the text. */
export function filesRunByScript(text: string): RunFile[] {
  const files: RunFile[] = [];
  let folder: string | null = '.';
  for (const { 0: command, index } of text.matchAll(/[^\n;&|(){}`]+/g)) {
    if (command.trimStart().startsWith('#')) continue;
    const found = [...command.matchAll(/"[^"]*"|'[^']*'|[^\s"']+/g)].filter(
      ({ 0: word }) => !/^(?:if|then|else|elif|do|while|until|!)$/.test(word),
    );
    const words = found.map(({ 0: word }) => (word.includes('$') ? null : word.replace(/^["']|["']$/g, '')));
    if (words[0] === 'cd') folder = folder === null || words[1] == null ? null : below(folder, words[1]);
    if (folder === null) continue;
    for (const { path, at } of filesRunBy(words)) {
      const word = found[at]!;
      files.push({ path: below(folder, path), at: index + word.index, length: word[0].length });
    }
  }
  return files;
}

function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/'))
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  return parts.join('/');
}

/** A path below a folder, relative to what the folder is relative to. */
export function below(folder: string, path: string): string {
  return normal(`${folder}/${path}`);
}
