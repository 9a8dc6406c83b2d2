import type { Config } from '../config/config.ts';
import type { Disk } from '../disk/disk.ts';
import { isProtocolFile } from '../disk/find-project.ts';
import { MailroomError } from '../kernel/errors.ts';
import { isJsonObject, type Json, valueAt } from '../kernel/json.ts';
import { ownValue } from '../kernel/own.ts';
import type { Role } from '../mail/format/protocol.ts';
import { edit, type Operation } from '../yaml/edit/edit.ts';
import { parseYaml, type Path } from '../yaml/yaml.ts';

/** A setting of one side: `model=opus`, `engineer.model=opus`, `limits.turns_per_thread=20`. */
export interface Setting {
  readonly path: readonly string[];
  /** Undefined: the setting is removed. */
  readonly value: Json | undefined;
}

/**
 * Reads settings, `key=value` separated by commas; a value is YAML, and an empty one removes the
 * setting. Throws `E_USAGE`.
 */
export function parseSettings(text: string): Setting[] {
  return text.split(/,\s*(?=[\w.-]+=)/).map((pair) => {
    const [, key = '', written = ''] = /^([\w.-]+)=(.*)$/s.exec(pair.trim()) ?? [];
    const yaml = parseYaml(written, 'the setting');
    if (key === '' || !yaml.ok)
      throw new MailroomError(
        'E_USAGE',
        `\`${pair}\` is not a setting`,
        'write key=value, such as `--with system_prompt=short,mcp=off`',
      );
    return { path: key.split('.'), value: written === '' ? undefined : yaml.value.value };
  });
}

/** What of a project's rules decides where a setting is written. */
interface Rules {
  readonly protocol: { readonly roles: ReadonlyMap<string, Pick<Role, 'name' | 'provider'>> };
  readonly config: Pick<Config, 'trail'>;
}

/** Keys of mailroom.yaml that are settings of the project, not of roles. */
const ofProject: ReadonlySet<string> = new Set(['mcp', 'sandbox', 'concurrency']);

/**
 * Writes settings into the files of a project: those of roles into each file that defines a role,
 * `system_prompt` into the providers of the roles, all others into mailroom.yaml. Returns the
 * changed files. What the values mean is checked by who reads the files. Throws `E_USAGE`.
 */
export function applySettings(
  disk: Disk,
  { protocol: { roles }, config }: Rules,
  settings: readonly Setting[],
): string[] {
  const players = [...roles.values()].filter(({ provider }) => provider !== 'human');
  const changed = new Set<string>();
  const inConfig = (path: Path, value: Json | undefined) => {
    change(disk, 'mailroom.yaml', path, value);
    changed.add('mailroom.yaml');
  };
  const inRole = (role: string, path: Path, value: Json | undefined) => {
    const files = (disk.list('protocols') ?? []).filter(isProtocolFile).map((name) => `protocols/${name}`);
    const homes = files.filter((file) => valueIn(disk, file, ['roles', role]) !== undefined);
    if (homes.length === 0)
      throw new MailroomError('E_USAGE', `no file in protocols/ defines the role \`${role}\``);
    for (const file of homes) {
      change(disk, file, ['roles', role, ...path], value);
      changed.add(file);
    }
  };
  for (const { path, value } of settings) {
    const [first = '', ...rest] = path;
    if (rest.length > 0)
      if (roles.has(first)) inRole(first, rest, value);
      else inConfig(path, value);
    else if (first === 'system_prompt')
      for (const name of new Set(players.map(({ provider }) => provider)))
        inConfig(['providers', name, first], value);
    else if (ofProject.has(first)) inConfig(path, value);
    else for (const { name } of players) inRole(name, [first], value);
  }
  // The trail would be one of a copy.
  if (config.trail !== null) inConfig(['trail'], 'off');
  return [...changed];
}

function valueIn(disk: Disk, file: string, path: Path): Json | undefined {
  const yaml = parseYaml(disk.read(file, mostBytes)?.toString('utf8') ?? '', file);
  return yaml.ok ? valueAt(yaml.value.value, path) : undefined;
}

const mostBytes = 4 * 1024 * 1024;

/** Sets a value, with the mappings around it, or removes it. */
function change(disk: Disk, file: string, path: Path, value: Json | undefined): void {
  const text = disk.read(file, mostBytes)?.toString('utf8') ?? '';
  const yaml = parseYaml(text, file);
  const root = yaml.ok && isJsonObject(yaml.value.value) ? yaml.value.value : {};
  const edited = edit(text === '' ? '{}\n' : text, ...operationsFor(root, path, value));
  if (!edited.ok) throw new MailroomError('E_USAGE', `${file} cannot be changed: ${edited.why}`);
  disk.write(file, edited.text);
}

/** The one change that gives `path` this value, at the first part of the path that is missing. */
function operationsFor(root: Json, path: Path, value: Json | undefined): Operation[] {
  let here: Json | undefined = root;
  for (const [at, key] of path.entries()) {
    const inner: Json | undefined = isJsonObject(here) ? ownValue(here, key) : undefined;
    if (!isJsonObject(inner) || at === path.length - 1) {
      const where = path.slice(0, at + 1);
      if (value === undefined) return inner === undefined ? [] : [{ do: 'remove', path: where }];
      const rest = path.slice(at + 1).toReversed();
      const nested = rest.reduce<Json>((within, name) => ({ [String(name)]: within }), value);
      return [{ do: inner === undefined ? 'add' : 'set', path: where, value: nested }];
    }
    here = inner;
  }
  return [];
}
