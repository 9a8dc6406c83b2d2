import { MailroomError } from '../core/errors.ts';
import type { Provider } from '../core/ports.ts';
import { commandProvider } from './command.ts';
import { humanProvider } from './human.ts';
import { complete, type ProviderOptions } from './options.ts';

/** What the composition root knows about this machine. */
export interface Surroundings {
  /** The host's environment: `MAILROOM_CLAUDE_BIN` and its like, and where the CLIs keep their configuration. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The kinds of agents that a named provider can be set up for. */
export const adapters = ['command'] as const;
export type AdapterName = (typeof adapters)[number];

/** A provider of mailroom.yaml. Without `adapter` it is a program of the author's own (command.ts says how it answers). */
export type ProviderConfig = Partial<Omit<ProviderOptions, 'name'>> & { readonly adapter?: AdapterName };

/** The providers that every project has, by name. */
export function builtInProviders(_surroundings: Surroundings): Map<string, Provider> {
  const providers: readonly Provider[] = [humanProvider()];
  return new Map(providers.map((provider) => [provider.name, provider]));
}

/** A provider as mailroom.yaml sets it up. Throws `E_VALUE` when a program is wanted and none is named. */
export function namedProvider(name: string, config: ProviderConfig): Provider {
  const { adapter = 'command', ...options } = config;
  const command = options.command ?? [];
  if (adapter === 'command' && (command[0] ?? '') === '') {
    throw new MailroomError(
      'E_VALUE',
      `provider ${name} names no command`,
      `say what runs, e.g. command: [node, agent.mjs]`,
    );
  }
  return commandProvider(complete(name, command, options));
}
