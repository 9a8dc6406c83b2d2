import { apply } from '../../../../src/workflow/machine/apply.ts';
import type { Happening, RunEvent } from '../../../../src/workflow/machine/event.ts';
import { emptyRunState, type RunState } from '../../../../src/workflow/machine/state.ts';
import { randomChaos, type Chaos } from '../faults.ts';
import type { Random } from '../random.ts';
import type { Schedule, Subject } from '../schedule.ts';
import { coverage, transitionsOf } from '../transitions.ts';
import { randomWorkflow } from './definitions.ts';
import { Person } from './person.ts';
import {
  Freshness,
  Silence,
  checkArtifacts,
  checkHistory,
  checkOver,
  checkPictures,
  checkResumptions,
  checkUsed,
} from './properties.ts';
import { runMachine } from './transitions.ts';
import { RunWorld } from './world.ts';

/** Things that happen after which a schedule must have come to its end. */
const longest = 20_000;

/** Runs of workflows, each in a project of its own. */
export const runs: Subject = {
  command: 'simulate:runs',
  schedules: 'schedules of runs',
  // Rows of the page name sets of phases: not all of their pairs are possible.
  enough: Infinity,
  begin,
  coverage: (seen) => coverage(runMachine.sections, seen),
};

function begin(random: Random): Schedule {
  const world = new RunWorld(randomWorkflow(random), random, chaosOf(random));
  const person = new Person(world);
  let first = 'none';
  return {
    world,
    trouble: async (problems) => {
      first = await trouble(world, person, problems);
    },
    rest: (problems) => rest(world, person, problems),
    judge: () => {
      const events = world.events();
      const { launches, orphans, problems } = world.floor;
      return {
        kind: first,
        problems: [
          ...problems,
          ...checkHistory(events),
          ...world.git.check(events, world.workflow),
          ...checkResumptions(world.workflow, events),
          ...checkUsed(events),
        ],
        counts: {
          launches,
          events: events.length,
          crashes: world.crashes,
          'lost launchers': world.lost,
          orphans,
          reported: reportedIn(events),
        },
        transitions: transitionsOf(runMachine, events),
      };
    },
  };
}

/** A disk that loses what was synced is no disk of ours; a run has no second host: its lock is the application's. */
function chaosOf(random: Random): Chaos {
  return { ...randomChaos(random), crash: random.pick([0, 0.03, 0.1, 0.3]), rival: 0 };
}

async function trouble(world: RunWorld, person: Person, problems: string[]): Promise<string> {
  const { random, chaos } = world;
  await world.start();
  let status = 'none';
  const steps = 20 + random.below(200);
  for (let step = 0; step < steps; step += 1) {
    if (world.over || !world.process) status = await goOn(world, problems, status);
    if (world.process === null) return status;
    const dice = random.next();
    if (dice < 0.04) person.judge();
    else if (dice < 0.042) person.cancel();
    else if (dice < 0.047) person.retry();
    else if (dice < 0.055) person.pause();
    world.neighbours.change(world.timeline.now);
    world.strain();
    if (random.chance(chaos.restart)) world.process.end(random.pick(['stop', 'drain']));
    if (random.chance(chaos.launcher)) world.loseLauncher();
    if (random.chance(0.02)) world.snapshot();
    await world.step();
    if (!world.process) problems.push(...checkArtifacts(world));
  }
  return status;
}

/** The host has ended: it was killed, it was stopped, or the run is over. Somebody goes on, or leaves it at that. */
async function goOn(world: RunWorld, problems: string[], status: string): Promise<string> {
  const state = folded(world.events());
  problems.push(...checkArtifacts(world));
  const isOver = state.endedAt !== null;
  if (isOver) problems.push(...checkOver(world, state));

  if (isOver && world.random.chance(0.5)) return status === 'none' ? state.status : status;
  if (world.random.chance(world.cuts)) world.cutJournal();
  const command = isOver && world.random.chance(0.3) ? Person.retrying(world, state) : null;
  await world.start(command);
  return isOver && status === 'none' ? state.status : status;
}

/** How often the usage of an agent was read that was ended before it had reported all. */
function reportedIn(events: readonly RunEvent[]): number {
  const used = events.flatMap((event) => ('used' in event ? (event.used ?? []) : []));
  return used.filter(({ usage }) => usage.tokens !== null).length;
}

function folded(events: readonly RunEvent[]): RunState {
  return events.reduce((state, event) => apply(state, event), emptyRunState());
}

/** Everybody behaves: what failed is gone on with, and must succeed. */
async function rest(world: RunWorld, person: Person, problems: string[]): Promise<void> {
  let command: Happening | null = null;
  for (let round = 0; round < 6; round += 1) {
    if (!world.process) await world.start(command);
    problems.push(...(await untilOver(world, person)));
    const state = folded(world.events());
    problems.push(...checkArtifacts(world), ...checkOver(world, state));
    // What began before the calm may still fail in it; after that, nothing may.
    if (round > 0 && state.status === 'SUCCEEDED') return void problems.push(...checkPictures(world, state));
    // A silent step may have ended incomplete, without what others require: a person wants it again.
    command = state.reason?.code === 'E_VAR_MISSING' ? Person.retrying(world, state) : null;
  }
  throw new Error(`the run does not succeed: ${folded(world.events()).reason?.text ?? ''}`);
}

async function untilOver(world: RunWorld, person: Person): Promise<string[]> {
  const freshness = new Freshness();
  const silence = new Silence();
  const problems: string[] = [];
  for (let step = 0; step < longest; step += 1) {
    if (!world.process) {
      if (folded(world.events()).endedAt !== null) return problems.slice(0, 1);
      await world.start();
    }
    if (step % 20 === 0) person.follow();
    if (!(await world.step()) && !person.follow()) throw new Error('nothing will ever happen');
    problems.push(...freshness.look(world), ...silence.look(world));
  }
  throw new Error('the run does not come to its end');
}
