import { ownValue } from './own.ts';

/* Which files of a project its commands run. */

/** A file that a command runs, and where its text names it. */
export interface RunFile {
  /** Relative to the folder that the command runs in. */
  readonly path: string;
  /** The argument, or the offset in a script. */
  readonly at: number;
  /** The number of characters that name it. */
  readonly length: number;
  /** False: its program finds it alone, as npm finds package.json. */
  readonly isNamed: boolean;
}

/** Where a definition has a command line as text. */
const textKeys: ReadonlySet<string> = new Set(['script', 'run', 'command', 'check', 'poll', 'shell']);

/** The files that the commands of a definition name, whether or not they exist. */
export function scriptsIn(definition: unknown, key = ''): string[] {
  const named = (files: readonly RunFile[]) => files.filter(({ isNamed }) => isNamed).map(({ path }) => path);
  if (typeof definition === 'string') return textKeys.has(key) ? named(filesRunByScript(definition)) : [];
  if (Array.isArray(definition)) {
    const words = definition.filter((each) => typeof each === 'string');
    if (words.length === definition.length) return named(filesRunBy(words));
    return definition.flatMap((each) => scriptsIn(each, key));
  }
  if (typeof definition !== 'object' || definition === null) return [];
  return Object.entries(definition).flatMap(([name, each]) => scriptsIn(each, name));
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
  const found = (path: string, at: number, isNamed = true): RunFile => {
    return { path, at, length: (words[at] ?? '').length, isNamed };
  };
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (wrappers.test(name)) {
    const next = words.findIndex((word, at) => at >= from && !/^(?:-.*|[0-9.]+[smhd]?)$/.test(word ?? ''));
    return next < 0 ? [] : filesRunBy(words, next);
  }
  if (program.includes('/') && !program.startsWith('/') && !program.startsWith('~'))
    return [found(normal(program), skipped)];
  const option = words.findIndex((word, at) => at >= from && word !== null && !word.startsWith('-'));
  const verb = option < 0 ? undefined : words[option];
  const known = ownValue(withVerb, name);
  if (known !== undefined && verb != null && known[1].test(verb)) return [found(known[0], skipped, false)];
  const file = ownValue(projectFiles, name);
  if (file !== undefined) {
    const given = givenFile(words, from);
    return [found(given ?? file, skipped, given !== null)];
  }
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
    for (const { path, at, isNamed } of filesRunBy(words)) {
      const word = found[at]!;
      files.push({ path: below(folder, path), at: index + word.index, length: word[0].length, isNamed });
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
