import { parseProtocol } from '../../src/spec/protocol.ts';
import { defaultConfig, type Config, type ProviderConfig } from '../../src/core/config.ts';
import type { Protocol } from '../../src/core/mail/protocol.ts';
import { checkFolders, checkHistory, checkLaunches, checkRest } from './properties.ts';
import { protocols } from './protocols.ts';
import { Random } from './random.ts';
import { World, type Chaos } from './world.ts';

export interface Result {
  readonly seed: number;
  readonly protocol: string;
  readonly problems: readonly string[];
  readonly events: number;
  readonly turns: number;
  readonly crashes: number;
  readonly delivered: number;
}

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

const config: Config = { ...defaultConfig, providers: new Map([['scripted', scripted]]), concurrency: 4 };

/** A protocol of the simulation, read as a user's would be. */
export function simulated(name: string): Protocol {
  const read = parseProtocol([{ file: `${name}.yaml`, text: protocols[name] ?? '' }], config);
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'));
  return read.value;
}

const names = Object.keys(protocols);
const known = new Map<string, Protocol>();

function protocolOf(name: string): Protocol {
  const protocol = known.get(name) ?? simulated(name);
  known.set(name, protocol);
  return protocol;
}

/** Steps after which a schedule that has come to rest must have done so. */
const longest = 20_000;

/** Plays one schedule: trouble first, then calm until everything rests; then everything is checked. */
export function playSchedule(seed: number): Result {
  const random = new Random(seed);
  const name = random.pick(names);
  const chaos: Chaos = {
    crash: random.pick([0, 0, 0.05, 0.3]),
    powerLoss: random.pick([0, 0.5]),
    lostHint: random.pick([0, 0.2, 1]),
    full: random.pick([0, 0, 0, 0.003]),
  };
  const world = new World(protocolOf(name), random, chaos);
  const problems: string[] = [];
  try {
    trouble(world, random);
    rest(world, problems);
  } catch (error) {
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const events = world.events();
  problems.push(...checkHistory(events, world.protocol));
  problems.push(...checkFolders(world.disk, events, world.protocol));
  problems.push(...checkLaunches(world.allLaunches(), events, world.protocol));
  return {
    seed,
    protocol: name,
    problems,
    events: events.length,
    turns: events.filter(({ type }) => type === 'committed').length,
    crashes: world.crashes,
    delivered: events.filter((event) => event.type === 'committed' && event.sent.length > 0).length,
  };
}

function trouble(world: World, random: Random): void {
  world.start();
  const steps = 50 + random.below(250);
  for (let step = 0; step < steps; step += 1) {
    const dice = random.next();
    if (dice < 0.05) world.drop();
    else if (dice < 0.08) world.answer();
    else if (dice < 0.085) world.meddle();
    else if (dice < 0.095) world.control();
    world.step();
  }
}

/** Everybody behaves, people answer, nothing fails any more: now everything must come to an end. */
function rest(world: World, problems: string[]): void {
  world.calm = true;
  world.start();
  world.unpauseAll();
  for (let step = 0; step < longest; step += 1) {
    if (step % 20 === 0) world.answer();
    world.step();
    if (world.host && world.host.idle() !== 'busy' && world.quiet() && step > 200) break;
  }
  problems.push(...checkRest(world.state, world.protocol));
}
