import process from 'node:process';
import type { Checked, Diagnostic } from '../../kernel/diagnostic.ts';
import { weakness } from '../../kernel/mask.ts';
import type { Workflow } from '../model.ts';
import { secretsOf } from '../machine/given.ts';
import { secretsOfHost } from '../../process/sandbox/environment.ts';
import { secretsOfProject } from '../../host/project-key.ts';
import type { Disk } from '../../disk/disk.ts';

/** What is masked in all that is written for a project: its key, and the host's variables that are secrets by their names. */
export function projectSecrets(disk: Pick<Disk, 'read'>): string[] {
  return [...secretsOfProject(disk), ...secretsOfHost()];
}

/** What is masked in all that is written of a run, whatever its steps list: that, and all secrets of its definition. */
export function runSecrets(disk: Pick<Disk, 'read'>, definition: Workflow): string[] {
  return [...Object.values(variables(secretsOf(definition))), ...projectSecrets(disk)];
}

/** The values of the host's variables of these names that are set. */
export function variables(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** The same as warnings of what was read. */
export function withWeakSecrets(checked: Checked<Workflow>): Checked<Workflow> {
  if (!checked.ok) return checked;
  const warnings = weakSecrets([checked.value]).map((message): Diagnostic => {
    return { code: 'E_VALUE', severity: 'warning', message, place: null, hint: null };
  });
  return warnings.length === 0 ? checked : { ...checked, warnings: [...checked.warnings, ...warnings] };
}

/** A warning for each secret of these definitions whose value here cannot be masked in everything. */
export function weakSecrets(definitions: readonly Workflow[]): string[] {
  return Object.entries(variables(definitions.flatMap(secretsOf))).flatMap(([name, value]) => {
    const why = weakness(value);
    if (why === null) return [];
    return [
      `the value of the secret \`${name}\` ${why}: it is masked only where it is a whole word, and not in names; use a longer one`,
    ];
  });
}
