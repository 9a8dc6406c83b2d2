import type { ProviderKind } from '../config/config.ts';

/** Unexpected behaviour of some versions of a CLI, and how Mailroom handles it. */
export interface Quirk {
  /** The first version known to behave so. */
  readonly from: string;
  /** The first later version that does not; null: none is known. */
  readonly before: string | null;
  readonly what: string;
  /** The flag, variable or parsing rule that handles it. */
  readonly answer: string;
  /** What only the user can do about it; null: nothing is left to do. */
  readonly advice: string | null;
}

export type AgentCli = Exclude<ProviderKind, 'command' | 'replay' | 'acp'>;

/** The versions that the tests drive; others are expected to behave alike. */
export const proved: Readonly<Record<AgentCli, string>> = {
  claude: '2.1.330',
  codex: '0.169.0',
  gemini: '0.61.0',
  opencode: '1.18.33',
  pi: '0.87.1',
  agy: '1.2.11',
};

/** Those whose events are known only from streams that others recorded; no test drives them. */
export const onlyRecorded: ReadonlySet<AgentCli> = new Set(['agy']);

const always = { before: null, advice: null };

/**
 * By CLI, in the order of docs/providers/. A version that behaves differently gets a separate row.
 */
export const quirks: Readonly<Record<AgentCli, readonly Quirk[]>> = {
  claude: [
    { ...always, from: '2.1.197', what: '`stream-json` needs `--verbose`', answer: '`--verbose`' },
    {
      ...always,
      from: '2.1.197',
      what: 'an error of the API ends with `subtype: success`',
      answer: '`is_error` and the exit code are read',
    },
    {
      ...always,
      from: '2.1.197',
      what: '`acceptEdits` lets the shell remove and move files',
      answer: '`--permission-mode default` with `Edit(**)`',
    },
    {
      ...always,
      from: '2.1.330',
      what: 'the mode `manual` is new',
      answer: '`default`, which all versions know',
    },
    {
      ...always,
      from: '2.1.330',
      what: 'leaves sockets in `/tmp/cc-socks` when it is killed',
      answer: 'the sandbox, whose `/tmp` is its own; elsewhere nothing',
    },
  ],
  codex: [
    {
      ...always,
      from: '0.169.0',
      what: '`--full-auto` and `exec -a` are gone; `exec` never asks',
      answer: '`-s`',
    },
    {
      ...always,
      from: '0.169.0',
      what: '`OPENAI_BASE_URL` is not heard',
      answer: '`arguments` of the provider, with `-c model_provider`',
    },
    {
      ...always,
      from: '0.169.0',
      what: 'an `error` event may be only a note',
      answer: 'the last `turn.completed` or `turn.failed` counts',
    },
    {
      ...always,
      from: '0.169.0',
      what: 'a tool of a server wants an approval that `exec` never gives',
      answer: '`default_tools_approval_mode` of the Mailroom server only',
    },
    {
      ...always,
      from: '0.169.0',
      what: 'begins before a server of tools has started',
      answer: '`required` of the Mailroom server only',
    },
    {
      from: '0.169.0',
      before: null,
      what: 'retries for up to half a minute, and its own model provider has no switch for that',
      answer: '[`arguments`](#retries) of the provider',
      advice: 'docs/providers/codex.md has `arguments` with which it asks once',
    },
    {
      ...always,
      from: '0.169.0',
      what: 'its sandbox fails without a word where `CODEX_HOME` lies in the temporary folder',
      answer: 'a `TMPDIR` of the turn',
    },
  ],
  gemini: [
    {
      ...always,
      from: '0.61.0',
      what: 'settings for all users count only where root alone can write',
      answer: '`GEMINI_CLI_HOME`, a home of the turn with links into `~/.gemini`',
    },
    {
      ...always,
      from: '0.61.0',
      what: 'without `-m` a model is asked which model to ask',
      answer: '`-m pro`',
    },
    {
      ...always,
      from: '0.61.0',
      what: 'a process in between does not pass TERM on',
      answer: '`GEMINI_CLI_NO_RELAUNCH=true`',
    },
    {
      ...always,
      from: '0.61.0',
      what: 'TERM ends it with exit code 0',
      answer: 'no success without its `result`',
    },
    { ...always, from: '0.61.0', what: '`--allowed-tools` is deprecated', answer: 'a policy' },
    {
      ...always,
      from: '0.61.0',
      what: 'trusts no folder without a person, and reads the settings of one that it trusts',
      answer: '`--skip-trust`, which counts after settings were read',
    },
    {
      ...always,
      from: '0.61.0',
      what: 'takes a path with a comma in a flag for two',
      answer: 'paths in `settings.json`',
    },
    {
      ...always,
      from: '0.61.0',
      what: 'removes a conversation that was resumed in a later minute than it began',
      answer: '`general.sessionRetention.enabled: false` in the `settings.json` of the turn',
    },
  ],
  opencode: [
    {
      ...always,
      from: '1.18.33',
      what: 'installs packages on a fresh machine',
      answer: '`--pure` and, without RUN_COMMANDS, `npm_config_offline=true`',
    },
    { ...always, from: '1.18.33', what: 'asks the model for a title', answer: '`--title`' },
    {
      from: '1.18.33',
      before: null,
      what: 'waits without a word while its model is overloaded or at a limit, however long that lasts, and no switch stops it',
      answer: 'an `idle_timeout` of 15 minutes where the role sets none',
      advice: 'give its roles a shorter `idle_timeout` if they need no 15 minutes of silence',
    },
    {
      ...always,
      from: '1.18.33',
      what: 'runs plug-ins in `.opencode/` of the repository with `--pure` and `OPENCODE_DISABLE_PROJECT_CONFIG`, too',
      answer: 'the sandbox, which hides them; elsewhere a refusal of the turn',
    },
    {
      ...always,
      from: '1.18.33',
      what: 'has no final event',
      answer: 'a last step that ended with `stop` counts',
    },
  ],
  pi: [
    {
      ...always,
      from: '0.87.1',
      what: 'reads a folder for conversations from `.pi/settings.json` of the repository before anyone approves it',
      answer: '`--session-dir`',
    },
    {
      ...always,
      from: '0.87.1',
      what: 'ends with exit code 0 when the API refuses its request',
      answer: 'the `errorMessage` of its last answer is read',
    },
    {
      ...always,
      from: '0.87.1',
      what: 'expands `~` and drops a leading `@` in a path',
      answer: 'the extension judges the path that its tool will use',
    },
    {
      from: '0.87.1',
      before: null,
      what: 'asks again three times at a limit or an error of the server, in 14 s, and only its settings change that',
      answer: 'nothing: it waits no longer than that',
      advice: '`retry.enabled: false` in ~/.pi/agent/settings.json turns it off',
    },
  ],
  agy: [
    {
      ...always,
      from: '1.1.15',
      what: '`-p` takes the prompt as an argument, which cannot be long',
      answer: '`--input-format stream-json`',
    },
    {
      ...always,
      from: '1.2.11',
      what: 'a status of ERROR can end with exit code 0',
      answer: 'the `status` of its result is read',
    },
    {
      from: '1.1.4',
      before: null,
      what: 'has its rules in one file for every run, and refuses in a headless run what they do not allow',
      answer: '`--dangerously-skip-permissions`, and the sandbox',
      advice: 'install bubblewrap: without a sandbox nothing restricts its roles',
    },
  ],
};

/** The quirks of the version in a CLI's version output; all of them if it contains none. */
export function quirksOf(cli: AgentCli, output: string): Quirk[] {
  const version = /\d+\.\d+\.\d+/.exec(output)?.[0];
  if (version === undefined) return [...quirks[cli]];
  return quirks[cli].filter(
    ({ from, before }) => !isBefore(version, from) && (before === null || isBefore(version, before)),
  );
}

/** Whether a version (1.2.3) is lower than another one. */
export function isBefore(version: string, other: string): boolean {
  const [left, right] = [version, other].map((text) => text.split('.').map(Number));
  const place = (left ?? []).findIndex((part, index) => part !== right?.[index]);
  return place !== -1 && (left?.[place] ?? 0) < (right?.[place] ?? 0);
}
