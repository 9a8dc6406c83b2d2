import { commandProvider } from './command.ts';
import type { ProviderOptions } from './options.ts';
import type { Provider } from './provider.ts';

/**
 * Answers from a recording (format: recording.ts): the program is Node with bin/replay-agent.mjs,
 * which reports its outcome like any other program. `MAILROOM_RECORDING` names the folder, in the
 * host's environment or in the role's `env`.
 */
export function replayProvider(options: ProviderOptions): Provider {
  const { recording } = options;
  const inherit = [...options.inherit, 'MAILROOM_RECORDING'];
  // A recorded run needs no bounds and uses no server.
  const provider: Provider = { ...commandProvider({ ...options, inherit }), notEnforced: [], mcp: true };
  if (recording === undefined) return provider;
  return {
    ...provider,
    start: (invocation) =>
      provider.start({ ...invocation, env: { ...invocation.env, MAILROOM_RECORDING: recording } }),
  };
}
