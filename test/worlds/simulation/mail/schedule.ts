import { checkFolders, checkHistory, checkLaunches, checkRest, checkUsed } from './properties.ts';
import { apply } from '../../../../src/mail/machine/apply.ts';
import type { MailEvent } from '../../../../src/mail/machine/event.ts';
import { emptyState } from '../../../../src/mail/machine/state.ts';
import { randomChaos } from '../faults.ts';
import type { Random } from '../random.ts';
import type { Schedule, Subject } from '../schedule.ts';
import { coverage, transitionsOf } from '../transitions.ts';
import { day } from '../virtual-world.ts';
import { Person } from './person.ts';
import { anyProtocol, named } from './protocol-choice.ts';
import { mailMachine } from './transitions.ts';
import { World } from './world.ts';

/** How long nothing happens until everything rests, in milliseconds: longer than between two scans. */
const quiet = 5_000;

/** How long only a time is waited for until a person acts, or the machine sleeps, in milliseconds. */
const patience = 600_000;

/** Steps after which a schedule must have come to rest. */
const longest = 20_000;

/** The mail of a project. */
export const mail: Subject = {
  command: 'simulate',
  schedules: 'schedules of the mail',
  // The rarest comes once in some 10,000.
  enough: 50_000,
  begin: (random) => begin(random, anyProtocol(random)),
  coverage: (seen) => coverage(mailMachine.sections, seen),
};

/** Roles that change the same files at the same time, in threads and sub-threads, and land what comes of it. */
export const parallel: Subject = {
  ...mail,
  command: 'simulate:parallel',
  schedules: 'schedules of parallel work',
  // Its protocols do not reach everything.
  enough: Infinity,
  begin: (random) => {
    const name = random.pick(['resolved', 'authors', 'persons', 'handed']);
    return begin(random, { name, protocol: named(name) });
  },
};

/** A schedule in a world of its own. */
export function begin(
  random: Random,
  { name, protocol }: ReturnType<typeof anyProtocol>,
  chaos = randomChaos(random),
): Schedule & { readonly world: World } {
  const world = new World(protocol, random, chaos);
  const person = new Person(world);
  return {
    world,
    trouble: () => trouble(world, person),
    rest: async (problems) => {
      problems.push(...(await rest(world, person)), ...checkRest(world.state, protocol));
    },
    judge: () => {
      const events = world.records().map(({ event }) => event);
      return {
        kind: name,
        problems: [
          ...checkHistory(events, protocol),
          ...checkUsed(events),
          ...checkFolders(world.disk, events, protocol),
          ...checkLaunches(world.allLaunches(), events, protocol),
          ...(world.away?.check(events, world.disk) ?? []),
          ...world.work.check(
            events,
            (role) => protocol.roles.get(role)?.capabilities.includes('EDIT') === true,
          ),
        ],
        counts: {
          turns: events.filter(({ type }) => type === 'committed').length,
          events: events.length,
          crashes: world.crashes,
          'lost launchers': world.lost,
          'second controllers': world.refused,
          ...workIn(events),
          'turns on workers': world.away?.launches().length ?? 0,
        },
        transitions: transitionsOf(mailMachine, events),
      };
    },
  };
}

/** How often the states of work that travels were reached. */
function workIn(events: readonly MailEvent[]): Record<string, number> {
  const counts = {
    conflicts: 0,
    'for a person': 0,
    'with further work': 0,
    landings: 0,
    'behind others': 0,
    'sub-threads': 0,
  };
  let state = emptyState();
  for (const event of events) {
    state = apply(state, event);
    if (event.type === 'conflicted') counts[event.by === 'role' ? 'conflicts' : 'for a person'] += 1;
    if (event.type === 'checked' && event.conflicts) counts['with further work'] += 1;
    if (event.type === 'landing-queued' && state.landings.size > 1) counts['behind others'] += 1;
    if (event.type === 'landed') counts.landings += 1;
    if (event.type === 'committed')
      counts['sub-threads'] += event.sent.filter(({ opens }) => opens !== null).length;
  }
  return counts;
}

async function trouble(world: World, person: Person): Promise<void> {
  const { random, chaos } = world;
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
    else if (dice < 0.133) person.uninstall();
    else if (dice < 0.16) person.work();
    world.neighbours.change(world.now);
    world.strain();
    if (random.chance(chaos.rival)) random.pick([() => world.rival(), () => world.loseLock()])();
    if (random.chance(chaos.restart)) world.process?.end(random.pick(['stop', 'drain']));
    if (random.chance(chaos.launcher)) world.loseLauncher();
    if (random.chance(0.01)) snapshot(world);
    await world.step();
  }
}

function snapshot(world: World): void {
  // A controller may have just begun: the disk fails it, and not who looks.
  world.faults.disarm();
  world.archive.keep();
  world.process?.snapshot();
}

/**
 * Everybody behaves, people do what `why` says and nothing else, nothing fails any more: now everything must come to an
 * end. What rests on the way must have a reason.
 */
async function rest(world: World, person: Person): Promise<string[]> {
  const problems: string[] = [];
  await world.start();
  // What was asked and done before is taken first, whatever the clock showed then.
  for (let step = 0; step < 20; step += 1) await world.step();
  await world.start();
  world.uninstalled.clear();
  world.away?.calm();
  world.work.target.isDirty = false;
  let since = 0;
  let sinceTime = 0;
  let recorded = 0;
  let events = 0;
  for (let step = 0; step < longest; step += 1) {
    await world.step();
    // A crash on the way into the calm may have been the last thing that happened.
    const host = world.process?.host;
    if (!host) continue;
    const { elapsed } = world.timeline;
    const isBusy = host.idle() === 'busy' && (host.running > 0 || world.neighbours.agents.agents === 0);
    if (host.state.events !== events || host.running > 0) recorded = elapsed;
    if (host.state.events !== events || world.timeline.busy || (isBusy && elapsed - recorded < patience)) {
      events = host.state.events;
      since = step;
      sinceTime = elapsed;
      continue;
    }
    // Networks are never quiet.
    if (step - since < 10 || elapsed - sinceTime < quiet) continue;
    problems.push(...person.unexplained());
    if (problems.length > 0) return problems;
    if (person.follow()) {
      since = step;
      continue;
    }
    if (world.neighbours.agents.agents > 0) {
      world.neighbours.end();
      since = step;
      continue;
    }
    if (!isBusy && !waitsForTomorrow(world)) return [...problems, ...person.inVain()];
    // A deadline is far, or a day's budget is used up.
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
