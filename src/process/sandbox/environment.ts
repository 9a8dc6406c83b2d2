import process from 'node:process';
import { usablePath } from './own-programs.ts';
import { setOwn } from '../../kernel/own.ts';

/** The variables of the host that every process inherits. */
const ALWAYS = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_*', 'TERM', 'TZ', 'TMPDIR', 'SHLVL'];

export interface EnvironmentRequest {
  /** Further inherited names, or patterns in which `*` matches any characters. */
  readonly inherit?: readonly string[];
  /** Variables to set, overriding the host's. */
  readonly set?: Readonly<Record<string, string>>;
  /** Default: the host's environment. */
  readonly from?: Readonly<Record<string, string | undefined>>;
}

/**
 * The complete environment of a process: it inherits only the names on the allowlist, and of `PATH`
 * the folders that existed at first use. `SHLVL` is always set: without it a bash whose input is a
 * socket, as Node's pipes are, takes itself for a remote login and runs `~/.bashrc`.
 */
export function buildEnvironment(request: EnvironmentRequest = {}): Record<string, string> {
  const allowed = ALWAYS.concat(request.inherit ?? []).map(namePattern);
  const environment: Record<string, string> = { SHLVL: '1' };
  for (const [name, value] of Object.entries(request.from ?? process.env)) {
    if (value !== undefined && allowed.some((pattern) => pattern.test(name)))
      setOwn(environment, name, value);
  }
  const { PATH } = environment;
  return { ...environment, ...(PATH !== undefined && { PATH: usablePath(PATH) }), ...request.set };
}

/**
 * Like `buildEnvironment` for many processes: reads the host's present environment once for each
 * list of further names.
 */
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

/**
 * Values of the host's variables whose names mark them as secrets; shorter values than the minimum
 * do not count.
 */
export function secretsOfHost(from: Readonly<Record<string, string | undefined>> = process.env): string[] {
  return Object.entries(from).flatMap(([name, value]) =>
    value !== undefined && value.length >= 8 && /KEY|TOKEN|SECRET|PASSWORD/i.test(name) ? [value] : [],
  );
}

/** Cached, since every process uses them. */
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
