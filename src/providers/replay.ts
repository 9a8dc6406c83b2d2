import type { AskedCall } from '../kernel/asked-call.ts';
import { isJsonObject, parseJson } from '../kernel/json.ts';
import { obeyedByGit, ruleNames } from '../kernel/rule-names.ts';
import { askedCall } from './acp.ts';
import { obeyedFolders, settingsFiles } from './agent-settings.ts';
import { commandProvider } from './command.ts';
import { list, string } from './events.ts';
import type { ProviderOptions } from './options.ts';
import type { Exit, Invocation, Outcome, Provider } from './provider.ts';

/** The exit code of a recorded turn that asks a person; its output is then a JSON object. */
const askedCode = 76;

/**
 * Answers from a recording (format: recording.ts): the program is Node with bin/replay-agent.mjs,
 * which reports its outcome like any other program, and a question besides. `MAILROOM_RECORDING`
 * names the folder, in the host's environment or in the role's `env`.
 */
export function replayProvider(options: ProviderOptions): Provider {
  const { recording } = options;
  const inherit = [...options.inherit, 'MAILROOM_RECORDING'];
  const program = commandProvider({ ...options, inherit });
  const provider: Provider = {
    ...program,
    // A recorded run needs no bounds and uses no server.
    notEnforced: [],
    mcp: true,
    asks: true,
    read: (exit, invocation, now) => {
      const asked = askedIn(exit);
      if (asked === null) return program.read(exit, invocation, now);
      const { asks, ...said } = asked;
      const done = program.read({ ...exit, code: 0, stdout: said.text }, invocation, now);
      return done.is === 'done' ? ({ ...done, asks } satisfies Outcome) : done;
    },
  };
  return {
    ...provider,
    start: (invocation) => {
      const line = provider.start(invocation);
      const named = recording === undefined ? {} : { MAILROOM_RECORDING: recording };
      return {
        ...line,
        programs: options.command,
        env: { ...line.env, ...named, MAILROOM_REPLAY_GUARD: guardOf(invocation) },
      };
    },
  };
}

/** What no recording writes, for bin/replay-agent.mjs. */
function guardOf({ mayConfigure }: Invocation): string {
  const settings = mayConfigure ? null : { folders: obeyedFolders, files: settingsFiles };
  return JSON.stringify({ rules: ruleNames, git: obeyedByGit, settings });
}

/** Null: it asks nothing. */
function askedIn({ ended, code, stdout }: Exit): { text: string; asks: readonly AskedCall[] } | null {
  const said = ended === 'exited' && code === askedCode ? parseJson(stdout) : null;
  if (!isJsonObject(said)) return null;
  const asks = list(said['asks']).filter(isJsonObject).map(askedCall);
  return { text: string(said['text']) ?? '', asks };
}
