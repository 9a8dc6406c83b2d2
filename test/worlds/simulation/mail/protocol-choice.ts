import { defaultConfig, type Config, type ProviderConfig } from '../../../../src/config/config.ts';
import type { Protocol } from '../../../../src/mail/format/protocol.ts';
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

/** A protocol of the simulation, read as a user's would be. */
export function simulated(name: string): Protocol {
  // The same, where a person has to let work land.
  const [text, settings] =
    name === 'guarded'
      ? [protocols['landing'], { ...config, protected: ['main'] }]
      : [protocols[name], config];
  const read = parseProtocol([{ file: `${name}.yaml`, text: text ?? '' }], settings);
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return read.value;
}

const names = ['gated', 'join', 'parts', 'ring', 'landing', 'guarded', 'away'];
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
  return { name: 'generated', protocol: randomProtocol(tape, random.chance(0.3)) };
}
