import { join, normalize } from 'node:path';
import type { Config } from '../config/config.ts';
import { git } from '../git/git.ts';
import { existsOnDisk } from '../disk/real-disk.ts';
import type { Diagnostic, Place } from '../kernel/diagnostic.ts';
import { enumerate } from '../kernel/enumerate.ts';
import type { Path } from '../kernel/json.ts';
import { shellWord } from '../kernel/quoting.ts';
import { filesRunBy } from '../kernel/scripts.ts';
import { providersOf, type Protocol, type Role } from '../mail/format/protocol.ts';
import { findProgram } from '../process/proc.ts';
import { howToGet, programFor } from './definition/programs.ts';

type PlaceOf = (path: Path) => Place | null;

/** Where parts of the protocol and of mailroom.yaml lie; null: they have none. */
export interface Places {
  readonly protocol: PlaceOf;
  readonly config: PlaceOf;
}

/** Roles whose turns run on this host: workers have programs and checkouts of their own. */
function rolesHere({ roles }: Protocol): Role[] {
  return [...roles.values()].filter(({ on }) => on === undefined);
}

/** Warns of providers whose program is not here: their mail would wait. */
export function missingPrograms(
  protocol: Protocol,
  config: Config,
  at: { readonly root: string; readonly environment: Readonly<Record<string, string | undefined>> },
  places: Places,
): Diagnostic[] {
  const roles = rolesHere(protocol);
  return [...new Set(roles.flatMap(providersOf))].flatMap((provider): Diagnostic[] => {
    const program = programFor(config, provider, at.environment);
    // Without a PATH nothing is known. A path of the project is looked for as a file.
    if (program === null || at.environment['PATH'] === undefined || /^[^/].*\//.test(program)) return [];
    const state = findProgram(program, at.environment['PATH'], at.root);
    if (state === 'found') return [];
    const playing = roles.filter((role) => providersOf(role).includes(provider)).map(({ name }) => name);
    const what = state === 'missing' ? 'not installed' : 'not executable';
    return [
      {
        code: 'E_PROVIDER',
        severity: 'warning',
        message: `\`${program}\` is ${what} here, and the provider \`${provider}\` of ${enumerate(playing)} runs it`,
        place: config.providers.get(provider)?.command
          ? places.config(['providers', provider, 'command', 0])
          : places.protocol(['roles', playing[0] ?? '', 'provider']),
        hint: `install it${howToGet(config, provider, program)}, or name another \`provider\``,
      },
    ];
  });
}

/** A file that a command runs in the workspace. */
interface Wanted {
  readonly path: string;
  readonly place: Place | null;
  /** What runs it, in words. */
  readonly by: string;
  /** False: its program finds it alone, and may do without. */
  readonly isNamed: boolean;
}

/** Warns of files that commands of providers and gates run, and that are not where these start. */
export async function missingFiles(
  protocol: Protocol,
  config: Config,
  root: string,
  places: Places,
): Promise<Diagnostic[]> {
  const wanted = new Map(
    [...ofProviders(protocol, config, places), ...ofGates(protocol, places)]
      .filter(({ path }) => !/^(?:\.\.|\/|~)/.test(path))
      .map((each) => [each.path, each]),
  );
  const { workspace } = protocol;
  const folder = workspace.kind === 'folder' ? workspace.path : '.';
  const isThere = ({ path }: Wanted) => existsOnDisk(join(root, folder, path));
  if (workspace.kind === 'folder')
    return [...wanted.values()].filter((each) => !isThere(each)).flatMap(absent);
  const paths = [...wanted.keys()];
  if (paths.length === 0) return [];
  const base = (workspace.per === 'role' ? workspace.base : null) ?? 'HEAD';
  const committed = await listed(
    ['ls-tree', '-z', '--name-only', '--end-of-options', base, '--', ...paths],
    root,
  );
  const ignored = await listed(['-c', 'core.quotePath=off', 'check-ignore', '--', ...paths], root);
  return [...wanted.values()].flatMap((each) => {
    if (committed.has(each.path)) return [];
    return isThere(each) ? [uncommitted(each, base, ignored.has(each.path))] : absent(each);
  });
}

function ofProviders(protocol: Protocol, { providers }: Config, { config }: Places): Wanted[] {
  return [...new Set(rolesHere(protocol).flatMap(providersOf))].flatMap((name) =>
    filesRunBy(providers.get(name)?.command ?? []).map(({ path, at, isNamed }) => {
      const place = config(['providers', name, 'command', at]);
      return { path: normalize(path), place, by: `the provider \`${name}\``, isNamed };
    }),
  );
}

function ofGates({ types }: Protocol, { protocol }: Places): Wanted[] {
  return [...types.values()].flatMap(({ name, checks }) =>
    checks.flatMap((check) =>
      (check.kind === 'run' ? filesRunBy(check.argv) : []).map(({ path, isNamed }) => {
        const place = protocol(['messages', name, 'gates']);
        return { path: normalize(path), place, by: `a gate of \`${name}\``, isNamed };
      }),
    ),
  );
}

/** The paths that a command of git lists; none where it fails. */
async function listed(args: readonly string[], cwd: string): Promise<ReadonlySet<string>> {
  const { exitCode, stdout } = await git(args, { cwd });
  return new Set(exitCode === 0 ? stdout.split(/[\0\n]/) : []);
}

function absent({ path, place, by, isNamed }: Wanted): Diagnostic[] {
  if (!isNamed) return [];
  const message = `${by} runs \`${path}\`, and there is no such file in the workspace`;
  return [{ code: 'E_FILE', severity: 'warning', message, place, hint: 'write it, or correct its path' }];
}

function uncommitted({ path, place, by }: Wanted, base: string, isIgnored: boolean): Diagnostic {
  const rule = isIgnored ? ', because a rule in .gitignore keeps it out' : '';
  const message = `${by} runs \`${path}\`, which is not in \`${base}\`${rule}: no worktree will have it`;
  const add = `git add ${isIgnored ? '--force ' : ''}${shellWord(path)}`;
  const hint = `\`${add} && git commit --message 'Add ${path}'\``;
  return { code: 'E_WORKSPACE', severity: 'warning', message, place, hint };
}
