import { relative, resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Checked, Diagnostic, Place } from '../../kernel/diagnostic.ts';
import type { Template } from '../../expressions/template.ts';
import { type Protocol, providersOf } from '../../mail/format/protocol.ts';
import type { RepositorySettings } from '../../providers/agent-settings.ts';
import { isStrict } from '../../config/strict.ts';
import { stepsIn, variantsOf } from '../../workflow/bodies.ts';
import type { Workflow } from '../../workflow/model.ts';
import { findText } from '../../disk/text.ts';
import { settingsAround } from '../../process/sandbox/agent-settings.ts';
import { probeContainment } from '../../process/sandbox/containment.ts';
import { obeyedBy } from '../../providers/repository-settings.ts';
import type { Provider } from '../../providers/provider.ts';

/** A role or step whose program obeys settings of a repository. */
interface Obeying {
  /** The name of the role or step. */
  readonly name: string;
  /** Absolute. */
  readonly workspace: string;
  readonly obeys: RepositorySettings;
}

/** What the warnings depend on. */
interface Settled {
  /** The project, absolute. */
  readonly root: string;
  readonly config: Config;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly providers: ReadonlyMap<string, Provider>;
}

/**
 * Adds a warning for each file of the repository that an agent of a role obeys and that nothing
 * blocks; an error where `mailroom.yaml` refuses what cannot be enforced.
 */
export function withRoleSettings(checked: Checked<Protocol>, settled: Settled): Promise<Checked<Protocol>> {
  return withFound(checked, settled, ({ roles, workspace }) => {
    const folder = workspace.kind === 'folder' ? resolve(settled.root, workspace.path) : settled.root;
    return [...roles.values()].flatMap((role) =>
      providersOf(role).flatMap((provider) =>
        obeying(role.name, folder, settled.providers.get(provider)?.obeys),
      ),
    );
  });
}

/** The same for the steps of a workflow, and for their checks. */
export function withStepSettings(checked: Checked<Workflow>, settled: Settled): Promise<Checked<Workflow>> {
  return withFound(checked, settled, ({ body }) =>
    stepsIn(body).flatMap((step) => {
      const { id, check, workspace } = step;
      const folder = resolve(settled.root, literal(workspace?.path ?? []) ?? '.');
      return [...variantsOf(step).map(({ work }) => work), ...(check === null ? [] : [check.work])].flatMap(
        (each) => {
          if (each.kind === 'agent') return obeying(id, folder, settled.providers.get(each.provider)?.obeys);
          if (each.kind !== 'command') return [];
          return obeying(id, folder, obeyedBy(literal(each.argv[0] ?? []) ?? '') ?? undefined);
        },
      );
    }),
  );
}

function obeying(name: string, workspace: string, obeys: RepositorySettings | undefined): Obeying[] {
  return obeys === undefined ? [] : [{ name, workspace, obeys }];
}

/** A string without expressions; null: it has some. */
function literal(template: Template): string | null {
  return template.every((part) => part.kind === 'text') ? template.map(({ text }) => text).join('') : null;
}

async function withFound<T>(
  checked: Checked<T>,
  settled: Settled,
  agentsOf: (value: T) => readonly Obeying[],
): Promise<Checked<T>> {
  if (!checked.ok) return checked;
  const found = await diagnose(agentsOf(checked.value), settled);
  if (found.length === 0) return checked;
  const all = [...checked.warnings, ...found];
  return found.some(({ severity }) => severity === 'error')
    ? { ok: false, problems: all }
    : { ...checked, warnings: all };
}

async function diagnose(
  agents: readonly Obeying[],
  { root, config, environment }: Settled,
): Promise<Diagnostic[]> {
  const home = environment['HOME'] ?? '/';
  const byPath = new Map<string, Obeying[]>();
  for (const agent of agents)
    for (const path of settingsAround(agent.workspace, home, agent.obeys.names))
      byPath.set(path, [...(byPath.get(path) ?? []), agent]);
  // Checking whether a sandbox works takes processes.
  const sandboxed =
    byPath.size > 0 && config.sandbox !== 'off' && (await probeContainment()).bubblewrap.works;
  return [...byPath].flatMap(([path, found]) => {
    const open = found.filter(({ obeys }) => !(obeys.hidden && sandboxed));
    const [first] = open;
    if (first === undefined) return [];
    const names = [...new Set(open.map(({ name }) => `\`${name}\``))].join(', ');
    const strict = isStrict(config);
    const shown = relative(root, path).startsWith('..') ? path : relative(root, path);
    return {
      code: 'E_CAPABILITY',
      severity: strict ? 'error' : 'warning',
      message: `${shown} configures the agent of ${names}: it may ${first.obeys.may}`,
      place: placeIn(path, shown, first.obeys.keys),
      hint: `${strict ? '`capabilities: strict` or `sandbox: required` in mailroom.yaml refuses this: ' : ''}${first.obeys.advice}; or remove ${shown}`,
    };
  });
}

/**
 * The position of the first of the keys in a file, or its beginning; null: it is a folder, or not
 * text.
 */
function placeIn(path: string, file: string, keys: readonly string[]): Place | null {
  const found = findText(path);
  if (found?.ok !== true) return null;
  const lines = found.text.split(/\r?\n/);
  const key = new RegExp(`(?<![\\w-])(?:${keys.join('|')})(?![\\w-])`);
  const at = Math.max(
    0,
    lines.findIndex((line) => key.test(line)),
  );
  const text = lines[at] ?? '';
  const match = key.exec(text);
  const length = Math.max(1, (match?.[0] ?? text).length);
  return { file, line: at + 1, column: (match?.index ?? 0) + 1, length, text };
}
