import { isAgentProvider, type Config } from '../../config/config.ts';
import {
  deputyProblem,
  gains,
  isWriter,
  mayWrite,
  outside,
  unprotectedProblem,
  type Deputies,
  type Powers,
  type Writer,
} from '../../kernel/deputy.ts';
import { below, filesRunBy } from '../../kernel/scripts.ts';
import type { Diagnostic, Place } from '../../kernel/diagnostic.ts';
import { probeContainment } from '../../process/sandbox/containment.ts';
import { isHuman, providersOf, type Protocol } from '../../mail/format/protocol.ts';

/** Who may write what steps run, and what contains whom. `protocol` null: there are no roles. */
export function deputiesOf(protocol: Protocol | null, config: Config): Deputies {
  const powersOf: Deputies['powersOf'] = (provider, capabilities, network) => {
    const isAgent = provider !== null && isAgentProvider(config, provider);
    const sandboxed = config.sandbox === 'required' || (config.sandbox === 'auto' && isAgent);
    // Nothing restricts a program of the author that is in no sandbox.
    return { capabilities: isAgent || sandboxed ? capabilities : null, network, sandboxed };
  };
  const roles = protocol === null ? [] : writersOf(protocol, powersOf);
  return { powersOf, roles, protectedBranches: config.protected };
}

/** The roles that may write files of the project: there, or by work that lands without a person. */
function writersOf(protocol: Protocol, powersOf: Deputies['powersOf']): Writer[] {
  const { workspace, types } = protocol;
  const lands = (role: string) =>
    [...types.values()].some((type) => type.from.includes(role) && type.lands?.approval === false);
  return [...protocol.roles.values()].flatMap((role): Writer[] => {
    if (isHuman(protocol, role.name) || !isWriter(role)) return [];
    if (workspace.kind === 'worktree' && !lands(role.name)) return [];
    const folder = workspace.kind === 'folder' ? workspace.path : '.';
    return [{ ...powersOf(role.provider, role.capabilities, role.network), name: role.name, folder }];
  });
}

type FindPlace = (path: readonly (string | number)[]) => Place | null;

interface Runner {
  readonly name: string;
  readonly argv: readonly string[];
  readonly powers: Powers;
  readonly writers: readonly Writer[];
  /** Relative to the project. */
  readonly folder: string;
  /** Of the argument with this index. */
  readonly place: (index: number) => Place | null;
}

/**
 * Warns of what the protocol and mailroom.yaml run with more permissions than a role has that may
 * write it: gates, programs of providers, and programs that notify people.
 */
export function protocolDeputies(
  protocol: Protocol,
  config: Config,
  places: { readonly protocol: FindPlace; readonly config: FindPlace },
): Diagnostic[] {
  const { powersOf, roles } = deputiesOf(protocol, config);
  const found = [
    ...gatesOf(protocol, powersOf, places.protocol),
    ...programsOf(protocol, config, powersOf, places.config).map((each) => ({ ...each, writers: roles })),
  ];
  return found.flatMap(({ name, argv, powers, writers, folder, place }) =>
    filesRunBy(argv).flatMap((file): Diagnostic[] => {
      const path = below(folder, file.path);
      const all = writers.filter((each) => mayWrite(each, path) && gains(each, powers).length > 0);
      if (all.length === 0) return [];
      const problem = deputyProblem({ writers: all, path, runner: name, powers, ways: [] });
      return [{ code: 'E_CAPABILITY', severity: 'warning', place: place(file.at), ...problem }];
    }),
  );
}

/** A gate runs in the workspace of the role whose message it checks, and may run tests. */
function gatesOf(protocol: Protocol, powersOf: Deputies['powersOf'], place: FindPlace): Runner[] {
  const { workspace, types } = protocol;
  const folder = workspace.kind === 'folder' ? workspace.path : '.';
  return [...types.values()].flatMap(({ name, from, checks }) =>
    checks.flatMap((check, gate): Runner[] => {
      if (check.kind !== 'run') return [];
      return from.flatMap((sender): Runner[] => {
        const role = protocol.roles.get(sender);
        if (role === undefined || isHuman(protocol, sender) || !isWriter(role)) return [];
        const { provider, capabilities, network } = role;
        const powers = powersOf(provider, ['READ', 'RUN_TESTS'], network);
        const writers = [{ ...powersOf(provider, capabilities, network), name: sender, folder }];
        const at = ['messages', name, 'gates', gate, 'run'];
        return [
          {
            name: `the gate of \`${name}\``,
            argv: check.argv,
            powers,
            writers,
            folder,
            place: (index) => place([...at, index]),
          },
        ];
      });
    }),
  );
}

function programsOf(
  protocol: Protocol,
  config: Config,
  powersOf: Deputies['powersOf'],
  place: FindPlace,
): Omit<Runner, 'writers'>[] {
  const { workspace } = protocol;
  const turns = [...protocol.roles.values()].flatMap((role) =>
    providersOf(role).flatMap((name): Omit<Runner, 'writers'>[] => {
      const argv = config.providers.get(name)?.command ?? null;
      if (argv === null) return [];
      const powers = powersOf(name, role.capabilities, role.network);
      const folder = workspace.kind === 'folder' ? workspace.path : '.';
      const at = (index: number) => place(['providers', name, 'command', index]);
      return [{ name: `\`${role.name}\``, argv, powers, folder, place: at }];
    }),
  );
  const notices = Object.entries(config.notify).map(([name, { command }]) => ({
    name: `the notice to \`${name}\``,
    argv: command,
    powers: outside,
    folder: '.',
    place: () => place(['notify', name]),
  }));
  const channels = [...config.channels.values()].flatMap((channel) =>
    channel.kind !== 'command'
      ? []
      : {
          name: `the channel \`${channel.name}\``,
          argv: channel.command,
          powers: outside,
          folder: '.',
          place: (index: number) => place(['channels', channel.name, 'command', index]),
        },
  );
  return [...turns, ...notices, ...channels];
}

/** Warns of roles that can move a protected branch with git, because no sandbox keeps them. */
export async function unprotected(
  protocol: Protocol,
  config: Config,
  place: FindPlace,
): Promise<Diagnostic[]> {
  const { powersOf } = deputiesOf(protocol, config);
  const able = [...protocol.roles.values()].filter(
    (role) => !isHuman(protocol, role.name) && role.capabilities.includes('RUN_COMMANDS'),
  );
  if (config.protected.length === 0 || able.length === 0) return [];
  const works = (await probeContainment()).bubblewrap.works;
  return able
    .filter((role) => !works || !powersOf(role.provider, role.capabilities, role.network).sandboxed)
    .map((role) => ({
      code: 'E_CAPABILITY',
      severity: 'warning',
      place: place(['roles', role.name, 'capabilities']),
      ...unprotectedProblem(role.name, config.protected),
    }));
}
