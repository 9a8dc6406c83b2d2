import type { Context } from '../context.ts';

/** Commands by their names, in the order of the help. */
export type Commands = Readonly<Record<string, CommandRow>>;

export interface CommandRow {
  readonly about: string;
  /** True: the help does not list it. */
  readonly isHidden?: true;
  /** By their syntax: `<needed>`, `[optional]`, `[several...]`. */
  readonly arguments?: Readonly<Record<string, string | ArgumentRow>>;
  /** By their flags: `-m, --message <text>`; `--follow [step]` takes a value only after `=`. */
  readonly options?: Readonly<Record<string, string | OptionRow>>;
  /** Command lines for its help. */
  readonly examples: readonly string[];
  /** Loads what it does when it is called. */
  readonly run: () => Promise<Action>;
}

export interface ArgumentRow {
  readonly about: string;
  readonly choices: readonly string[];
  readonly default?: string;
}

export interface OptionRow {
  readonly about: string;
  /** True: its value is the list of all that are given. */
  readonly repeatable?: true;
  readonly default?: string;
  /** The name of an option that cannot be given with this one. */
  readonly conflicts?: string;
}

/** `given`: each argument (null: missing), then the options. Resolves to the exit code. */
type Action = (context: Context, ...given: never[]) => Promise<number>;

export const json = { '--json': 'print one JSON document' };

/** The options of what records or replays the answers of agents. */
export const recording = {
  '--record <dir>': "record the agents' answers in this folder",
  '--replay <dir>': 'replay recorded answers instead of running agents',
};

/** The options of what reports its progress. */
export const progress = {
  '--heartbeat <duration>':
    'without a terminal, report at this interval what runs; default: 1m where $CI is set, else off',
  '--plain': 'one line per event, also on a terminal',
  '--json': 'print one JSON document at the end',
};
