import process from 'node:process';
import { usablePath } from './own-programs.ts';

/** What every process gets of the host's environment. */
const ALWAYS = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_*', 'TERM', 'TZ', 'TMPDIR', 'SHLVL'];

export interface EnvironmentRequest {
  /** Further names that are taken over, or patterns in which `*` stands for any characters. */
  readonly inherit?: readonly string[];
  /** Variables that are set, whatever the host has. */
  readonly set?: Readonly<Record<string, string>>;
  /** The host's environment when left out. */
  readonly from?: Readonly<Record<string, string | undefined>>;
}

/**
 * The complete environment of a process: nothing is inherited but what the allowlist names, of `PATH` the folders that were there. `SHLVL` is always there: a bash
 * without it whose input is a socket, as Node's pipes are, takes itself for a remote login and runs `~/.bashrc`.
 */
export function buildEnvironment(request: EnvironmentRequest = {}): Record<string, string> {
  const allowed = ALWAYS.concat(request.inherit ?? []).map(namePattern);
  const environment: Record<string, string> = { SHLVL: '1' };
  for (const [name, value] of Object.entries(request.from ?? process.env)) {
    if (value !== undefined && allowed.some((pattern) => pattern.test(name))) environment[name] = value;
  }
  const { PATH } = environment;
  return { ...environment, ...(PATH !== undefined && { PATH: usablePath(PATH) }), ...request.set };
}

/** The same for many processes: the host's environment, as it is now, is read once for each list of further names. */
export function environments(): (request: EnvironmentRequest) => Record<string, string> {
  const host = { ...process.env };
  const known = new Map<string, Record<string, string>>();
  return ({ inherit = [], set }) => {
    const key = inherit.join('\0');
    const inherited = known.get(key) ?? buildEnvironment({ inherit, from: host });
    known.set(key, inherited);
    return { ...inherited, ...set };
  };
}

/** Values of the host's variables that are secrets by their names; one of fewer characters is none. */
export function secretsOfHost(from: Readonly<Record<string, string | undefined>> = process.env): string[] {
  return Object.entries(from).flatMap(([name, value]) =>
    value !== undefined && value.length >= 8 && /KEY|TOKEN|SECRET|PASSWORD/i.test(name) ? [value] : [],
  );
}

/** Made once each: every process asks for them. */
const patterns = new Map<string, RegExp>();

function namePattern(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? compilePattern(pattern);
  patterns.set(pattern, known);
  return known;
}

function compilePattern(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}
