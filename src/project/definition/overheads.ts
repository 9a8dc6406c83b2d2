import { isAbsolute, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { existsOnDisk, RealDisk } from '../../disk/real-disk.ts';
import { makeProjectFolder } from '../../host/project-folder.ts';
import { orElse } from '../../kernel/contained.ts';
import { ownValue } from '../../kernel/own.ts';
import { type OverheadsFile, readOverheadsFile } from '../../letters/letters.ts';
import { type Overhead, overheadLine, provedOverhead, provedTokens } from '../../providers/overhead.ts';
import type { AgentCli } from '../../providers/quirks.ts';
import { agentOf } from './programs.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const file = 'overheads.json';

/** In `$XDG_CACHE_HOME`, by default `~/.cache`; null: neither is known. */
function folderOf({ XDG_CACHE_HOME: configured = '', HOME: home = '' }: Environment): string | null {
  const cache = isAbsolute(configured) ? configured : isAbsolute(home) ? join(home, '.cache') : null;
  return cache && join(cache, 'mailroom');
}

/** What was measured on this machine. It can be measured again: what cannot be read is absent. */
function readMeasured(environment: Environment): OverheadsFile['agents'] {
  const folder = folderOf(environment);
  if (folder === null || !existsOnDisk(folder, 'folder')) return {};
  const text = orElse(() => new RealDisk(folder, null).read(file, 1024 * 1024)?.toString('utf8'), undefined);
  const read = readOverheadsFile(text ?? '');
  return read.ok ? read.value.agents : {};
}

/** Keeps a measurement of an agent for `plan` and `check --price`. Throws `E_DISK`. */
export function keepOverhead(
  environment: Environment,
  agent: string,
  measured: OverheadsFile['agents'][string],
): void {
  const folder = folderOf(environment);
  if (folder === null) return;
  const agents = { ...readMeasured(environment), [agent]: measured };
  makeProjectFolder(folder);
  new RealDisk(folder, null).write(file, `${JSON.stringify({ agents }, null, 2)}\n`);
}

/**
 * What each call of a provider's model reads besides the prompt: as measured here, unless it has a
 * short system prompt, which the probe has not; else as proved; null: unknown.
 */
export function overheadsOf(config: Config, environment: Environment): (provider: string) => Overhead | null {
  const measured = readMeasured(environment);
  return (provider) => {
    const agent = agentOf(config, provider);
    if (agent === null) return null;
    const prompt = config.providers.get(provider)?.systemPrompt ?? 'own';
    const here = prompt === 'own' ? ownValue(measured, agent) : undefined;
    if (here === undefined) return isProved(agent) ? provedOverhead(agent, prompt) : null;
    const { at, ...rest } = here;
    return { ...rest, day: new Date(at).toISOString().slice(0, 10), from: 'probe' };
  };
}

/** The same as a line of a plan; null: the provider runs no agent that we know. */
export function overheadWords(config: Config, environment: Environment): (provider: string) => string | null {
  const overheadOf = overheadsOf(config, environment);
  return (provider) => agentOf(config, provider) && overheadLine(provider, overheadOf(provider));
}

function isProved(agent: string): agent is AgentCli {
  return Object.hasOwn(provedTokens, agent);
}
