import { checkFolders, checkHistory, checkLaunches, checkRest } from './properties.ts';
import { randomChaos } from './faults.ts';
import { Person } from './person.ts';
import { anyProtocol } from './protocol-choice.ts';
import { Random } from './random.ts';
import { transitionsOf } from './transitions.ts';
import { World } from './world.ts';

export interface Result {
  readonly seed: number;
  readonly protocol: string;
  readonly problems: readonly string[];
  readonly events: number;
  readonly turns: number;
  readonly crashes: number;
  /** Second controllers that found the project taken. */
  readonly refused: number;
  /** Which transitions of docs/states.md were seen, and others. */
  readonly transitions: ReadonlySet<string>;
}

/** Steps after which a schedule must have come to rest. */
const longest = 20_000;
const day = 86_400_000;

/** Plays one schedule: trouble first, then calm until everything rests; then everything is checked. */
export async function playSchedule(seed: number): Promise<Result> {
  const random = new Random(seed);
  const { name, protocol } = anyProtocol(random);
  const world = new World(protocol, random, randomChaos(random));
  const person = new Person(world);
  const problems: string[] = [];
  try {
    await trouble(world, person);
    await rest(world, person);
    problems.push(...checkRest(world.state, protocol));
  } catch (error) {
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const events = world.records().map(({ event }) => event);
  problems.push(...world.problems, ...checkHistory(events, protocol));
  problems.push(...checkFolders(world.disk, events, protocol));
  problems.push(...checkLaunches(world.allLaunches(), events, protocol));
  return {
    seed,
    protocol: name,
    problems,
    events: events.length,
    turns: events.filter(({ type }) => type === 'committed').length,
    crashes: world.crashes,
    refused: world.refused,
    transitions: transitionsOf(events),
  };
}

async function trouble(world: World, person: Person): Promise<void> {
  const { random, chaos, faults, timeline } = world;
  await world.start();
  const steps = 30 + random.below(120);
  for (let step = 0; step < steps; step += 1) {
    const dice = random.next();
    if (dice < 0.06) person.drop();
    else if (dice < 0.08) person.answer();
    else if (dice < 0.09) person.meddle();
    else if (dice < 0.105) person.control();
    else if (dice < 0.115) person.retry();
    else if (dice < 0.125) person.speak();
    else if (dice < 0.128) person.stash();
    if (random.chance(chaos.full)) {
      faults.fill(random.below(20_000));
      timeline.later(random.below(10_000), () => faults.fill(Infinity), 'outside');
    }
    if (random.chance(chaos.clock)) setClock(world);
    if (random.chance(chaos.rival)) random.pick([() => world.rival(), () => world.loseLock()])();
    if (random.chance(chaos.restart)) world.controller?.end(random.pick(['stop', 'drain']));
    if (random.chance(0.01)) snapshot(world);
    await world.step();
  }
}

/** Somebody sets the clock, by seconds or by days; forward only while nobody is in the middle of writing a file. */
function setClock({ timeline, random }: World): void {
  const by = 1 + random.below(random.pick([100, 10_000, 3_600_000, 40 * day]));
  if (random.chance(0.5)) timeline.set(-by);
  else if (!timeline.outside) timeline.set(by);
}

function snapshot(world: World): void {
  world.archive.keep();
  world.controller?.snapshot();
}

/** Everybody behaves, people answer, nothing fails any more: now everything must come to an end. */
async function rest(world: World, person: Person): Promise<void> {
  world.calm = true;
  world.faults.fill(Infinity);
  await world.start();
  // What was asked and done before is taken first, whatever the clock showed then.
  for (let step = 0; step < 20; step += 1) await world.step();
  await world.start();
  person.unpauseAll();
  let since = 0;
  let events = 0;
  for (let step = 0; step < longest; step += 1) {
    if (step % 20 === 0) {
      person.answer();
      person.findVanished();
    }
    await world.step();
    // A crash on the way into the calm may have been the last thing that happened.
    const host = world.controller?.host;
    if (!host) continue;
    if (host.state.events !== events || world.timeline.busy || host.idle() === 'busy') {
      events = host.state.events;
      since = step;
      continue;
    }
    if (step - since < 10) continue;
    if (person.answer() || person.findVanished()) {
      since = step;
      continue;
    }
    if (!waitsForTomorrow(world)) return;
    // A day's budget is used up.
    world.timeline.pass(day);
    since = step;
  }
  throw new Error('it does not come to rest');
}

function waitsForTomorrow({ state, protocol }: World): boolean {
  const { usd, tokens } = protocol.limits.dayBudget;
  const limited = usd !== null || tokens !== null;
  return limited && checkRest(state, protocol).length > 0;
}
