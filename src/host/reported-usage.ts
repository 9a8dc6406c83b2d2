import { orElse } from '../kernel/contained.ts';
import type { Reported } from '../kernel/cost.ts';
import type { Exit, Invocation, Provider } from '../providers/provider.ts';

/**
 * The usage in what a program has printed so far, as if it had been stopped after that. `printed`
 * and `invocation` may fail: then it is unknown, as with a program that has reported nothing.
 */
export function reportedUsage(
  provider: Provider | undefined,
  printed: () => string,
  invocation: () => Invocation | null,
  now: number,
): Reported {
  const read = (): Reported => {
    const stdout = provider === undefined ? '' : printed();
    const asked = stdout === '' ? null : invocation();
    if (provider === undefined || asked === null) return unknown;
    const { usage, session } = provider.read({ ...stopped, stdout }, asked, now);
    return { usage, session };
  };
  return orElse(read, unknown);
}

const unknown: Reported = { usage: { usd: null, tokens: null }, session: null };

const stopped: Exit = {
  code: null,
  signal: 'SIGKILL',
  ended: 'stopped',
  error: null,
  stdout: '',
  stderr: '',
  durationMs: 0,
  edits: null,
};
