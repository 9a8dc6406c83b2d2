import { commandProvider } from './command.ts';
import type { ProviderOptions } from './options.ts';
import type { Provider } from './provider.ts';

/**
 * Answers from a recording (recording.ts has its format): the program is Node with bin/replay-agent.mjs, which speaks as
 * any other program does. `MAILROOM_RECORDING` names the folder, in the host's environment or in the role's `env`.
 */
export function replayProvider(options: ProviderOptions): Provider {
  const { recording } = options;
  const inherit = [...options.inherit, 'MAILROOM_RECORDING'];
  // What was recorded is over: there is nothing to be bounded, and no server to be asked.
  const provider: Provider = { ...commandProvider({ ...options, inherit }), notEnforced: [], mcp: true };
  if (recording === undefined) return provider;
  return {
    ...provider,
    start: (invocation) =>
      provider.start({ ...invocation, env: { ...invocation.env, MAILROOM_RECORDING: recording } }),
  };
}
