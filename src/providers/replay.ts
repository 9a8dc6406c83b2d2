import { z } from 'zod';
import { parseJson } from '../kernel/json.ts';
import { commandProvider } from './command.ts';
import type { ProviderOptions } from './options.ts';
import type { Exit, Outcome, Provider } from './provider.ts';

/** The exit code of a recorded turn that asks a person; its output is then a JSON object. */
const askedCode = 76;

const text = z.string();
const asking = z.object({
  text,
  asks: z.array(
    z.object({
      key: text,
      title: text,
      kind: text.nullable(),
      command: text.nullable(),
      paths: z.array(text),
      input: text.nullable(),
    }),
  ),
});

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
  if (recording === undefined) return provider;
  return {
    ...provider,
    start: (invocation) =>
      provider.start({ ...invocation, env: { ...invocation.env, MAILROOM_RECORDING: recording } }),
  };
}

/** Null: it asks nothing. */
function askedIn({ ended, code, stdout }: Exit): z.output<typeof asking> | null {
  if (ended !== 'exited' || code !== askedCode) return null;
  return asking.safeParse(parseJson(stdout)).data ?? null;
}
