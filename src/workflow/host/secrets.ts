import process from 'node:process';
import type { Checked, Diagnostic } from '../../kernel/diagnostic.ts';
import { weakness } from '../../kernel/mask.ts';
import { ownValue } from '../../kernel/own.ts';
import type { Workflow } from '../model.ts';
import { secretsOf } from '../machine/run-start.ts';
import { secretsOfHost } from '../../process/sandbox/environment.ts';
import { secretsOfProject } from '../../host/project-key.ts';
import type { Disk } from '../../disk/disk.ts';

/**
 * The secrets masked in all files of a project: its key, and host variables with secret-like names.
 */
export function projectSecrets(disk: Pick<Disk, 'look' | 'read'>): string[] {
  return [...secretsOfProject(disk), ...secretsOfHost()];
}

/**
 * The secrets masked in all files of a run, whatever its steps list: the project's, and all of its
 * definition.
 */
export function runSecrets(disk: Pick<Disk, 'look' | 'read'>, definition: Workflow): string[] {
  return [...Object.values(variables(secretsOf(definition))), ...projectSecrets(disk)];
}

/** The set host variables among these names. */
export function variables(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = ownValue(process.env, name);
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/**
 * The secrets of an agent, by the names of its program: Claude Code reads its key from another
 * variable than its shims. `provider` null: it is not an agent.
 */
export function withAlias(
  provider: string | null,
  secrets: Readonly<Record<string, string>>,
  variablesOf: (names: readonly string[]) => Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const key = secrets['CLAUDE_API_KEY'];
  const isWanted = key !== undefined && provider === 'claude';
  if (!isWanted || Object.keys(variablesOf(['ANTHROPIC_API_KEY'])).length > 0) return secrets;
  return { ANTHROPIC_API_KEY: key, ...secrets };
}

/** Adds warnings for weak secrets to a checked definition. */
export function withWeakSecrets(checked: Checked<Workflow>): Checked<Workflow> {
  if (!checked.ok) return checked;
  const warnings = weakSecrets([checked.value]).map((message): Diagnostic => {
    return { code: 'E_VALUE', severity: 'warning', message, place: null, hint: null };
  });
  return warnings.length === 0 ? checked : { ...checked, warnings: [...checked.warnings, ...warnings] };
}

/**
 * A warning for each secret of these definitions whose value here is too weak to mask everywhere.
 */
export function weakSecrets(definitions: readonly Workflow[]): string[] {
  return Object.entries(variables(definitions.flatMap(secretsOf))).flatMap(([name, value]) => {
    const why = weakness(value);
    if (why === null) return [];
    return [
      `the value of the secret \`${name}\` ${why}: it is masked only where it is a whole word, and not in names; use a longer one`,
    ];
  });
}
