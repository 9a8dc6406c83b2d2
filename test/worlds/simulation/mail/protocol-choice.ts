import { openAway } from './away.ts';
import { defaultConfig, type Config, type ProviderConfig } from '../../../../src/config/config.ts';
import { landingWays } from '../../../../src/kernel/work.ts';
import { isHuman, question, type Clause, type Protocol } from '../../../../src/mail/format/protocol.ts';
import { parseProtocol } from '../../../../src/mail/protocol/read.ts';
import { randomProtocol } from '../../../mail/machine/random-protocol.ts';
import { Tape } from '../../../mail/machine/tape.ts';
import { protocols } from './protocols.ts';
import type { Random } from '../random.ts';

const scripted: ProviderConfig = {
  name: 'scripted',
  kind: 'command',
  command: ['scripted'],
  arguments: [],
  env: [],
  writable: [],
  tests: null,
  prices: null,
};

const config: Config = {
  ...defaultConfig,
  providers: new Map([['scripted', scripted]]),
  concurrency: 4,
  workers: { queue: null, git: null, lease: 10_000 },
};

/** Protocols that are like another one but for something. */
interface Variant {
  readonly of: string;
  readonly change: ((text: string) => string) | null;
  readonly settings: Partial<Config>;
}

/** Where work conflicts and then lands. */
function crossed(onConflict: string): Variant {
  const change = (text: string) =>
    text
      .replace('worktree: role', `worktree: role, on_conflict: ${onConflict}`)
      .replace(
        'integrator: { provider: scripted }',
        'integrator: { provider: scripted, capabilities: [READ, EDIT] }',
      )
      .replace('closes: true', 'closes: true, lands: main');
  return { of: 'join', change, settings: {} };
}

const variants: Readonly<Record<string, Variant>> = {
  // Where a person has to let work land.
  guarded: { of: 'landing', change: null, settings: { protected: ['main'] } },
  resolved: crossed('resolve'),
  authors: crossed('author'),
  persons: crossed('user'),
};

/** A protocol of the simulation, read as a user's would be. */
export function simulated(name: string): Protocol {
  const { of, change, settings } = variants[name] ?? { of: name, change: null, settings: {} };
  const text = protocols[of] ?? '';
  const changed = change === null ? text : change(text);
  const read = parseProtocol([{ file: `${name}.yaml`, text: changed }], { ...config, ...settings });
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return read.value;
}

const withWorkers = openAway === null ? [] : ['away'];
const names = [
  'gated',
  'join',
  'parts',
  'ring',
  'landing',
  'handed',
  ...withWorkers,
  ...Object.keys(variants),
];
const known = new Map<string, Protocol>();

/** One of the protocols that somebody wrote. */
export function named(name: string): Protocol {
  const protocol = known.get(name) ?? simulated(name);
  known.set(name, protocol);
  return protocol;
}

/** One of the protocols that somebody wrote, or one that nobody ever would. */
export function anyProtocol(random: Random): { name: string; protocol: Protocol } {
  if (random.chance(0.5)) {
    const name = random.pick(names);
    return { name, protocol: named(name) };
  }
  const tape = new Tape(Array.from({ length: 200 }, () => random.below(1_000)));
  return { name: 'generated', protocol: landing(asking(randomProtocol(tape, random.chance(0.3))), random) };
}

/** The same, read as a user's would be: every role with turns picks up the built-in `question`. */
function asking(protocol: Protocol): Protocol {
  const clause: Clause = { kind: 'any', types: [question.name] };
  const roles = [...protocol.roles].map(
    ([name, role]) =>
      [name, isHuman(protocol, name) ? role : { ...role, expects: [...role.expects, clause] }] as const,
  );
  return { ...protocol, roles: new Map(roles) };
}

/** The same, where the work of what closes a thread lands, now and then. */
function landing(protocol: Protocol, random: Random): Protocol {
  const { workspace, types } = protocol;
  if (workspace.kind !== 'worktree' || workspace.per !== 'role' || random.chance(0.3)) return protocol;
  const lands = { branch: 'main', by: random.pick(landingWays), approval: random.chance(0.3) };
  const changed = [...types].map(([name, type]) => [name, type.closes ? { ...type, lands } : type] as const);
  return { ...protocol, types: new Map(changed) };
}
