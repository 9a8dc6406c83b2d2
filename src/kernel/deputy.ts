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
