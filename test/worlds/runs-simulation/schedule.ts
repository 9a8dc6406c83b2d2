import { apply } from '../../../src/workflow/machine/apply.ts';
import type { RunEvent } from '../../../src/workflow/machine/event.ts';
import { emptyRunState, type RunState } from '../../../src/workflow/machine/state.ts';
import { randomChaos, type Chaos } from '../simulation/faults.ts';
import { Random } from '../simulation/random.ts';
import { randomWorkflow } from './definitions.ts';
import { Person } from './person.ts';
import {
  Freshness,
  checkArtifacts,
  checkHistory,
  checkOver,
  checkPictures,
  checkResumptions,
} from './properties.ts';
import { RunWorld } from './world.ts';

export interface Result {
  readonly seed: number;
  readonly problems: readonly string[];
  readonly events: number;
  readonly launches: number;
  readonly crashes: number;
  readonly orphans: number;
  /** What the run came to when it was over for the first time. */
  readonly status: string;
  /** Names of all events that were seen. */
  readonly types: ReadonlySet<string>;
}

/** Things that happen after which a schedule must have come to its end. */
const longest = 20_000;
const day = 86_400_000;

/** Plays one schedule: trouble first, then calm until the run is done; then everything is checked. */
export async function playSchedule(seed: number): Promise<Result> {
  const random = new Random(seed);
  const world = new RunWorld(randomWorkflow(random), random, chaosOf(random));
  const person = new Person(world);
  const problems: string[] = [];
  let status = 'none';
  try {
    status = await trouble(world, person, problems);
    await rest(world, person, problems);
  } catch (error) {
    problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  const events = world.events();
  problems.push(...world.problems, ...world.floor.problems, ...checkHistory(events));
  problems.push(...checkResumptions(world.workflow, events));
  return {
    seed,
    problems,
    events: events.length,
    launches: world.floor.launches,
    crashes: world.crashes,
    orphans: world.floor.orphans,
    status,
    types: new Set(events.map(({ type }) => type)),
  };
}

/** A disk that loses what was synced is no disk of ours; a run has no second host: its lock is the application's. */
function chaosOf(random: Random): Chaos {
  return { ...randomChaos(random), crash: random.pick([0, 0.03, 0.1, 0.3]), rival: 0 };
}

async function trouble(world: RunWorld, person: Person, problems: string[]): Promise<string> {
  const { random, chaos, faults, timeline } = world;
  await world.start();
  let status = 'none';
  const steps = 20 + random.below(200);
  for (let step = 0; step < steps; step += 1) {
    if (world.over || !world.host) status = await goOn(world, problems, status);
    if (world.host === null) return status;
    const dice = random.next();
    if (dice < 0.04) person.judge();
    else if (dice < 0.042) person.cancel();
    else if (dice < 0.047) person.retry();
    if (random.chance(chaos.full)) {
      faults.fill(random.below(20_000));
      timeline.later(random.below(10_000), () => faults.fill(Infinity), 'outside');
    }
    if (random.chance(chaos.clock)) setClock(world);
    if (random.chance(chaos.restart)) world.host.end(random.pick(['stop', 'drain']));
    if (random.chance(0.02)) world.snapshot();
    await world.step();
    if (!world.host) problems.push(...checkArtifacts(world.project));
  }
  return status;
}

/** The host has ended: it was killed, it was stopped, or the run is over. Somebody goes on, or leaves it at that. */
async function goOn(world: RunWorld, problems: string[], status: string): Promise<string> {
  const state = folded(world.events());
  problems.push(...checkArtifacts(world.project));
  const isOver = state.endedAt !== null;
  if (isOver) problems.push(...checkOver(world, state));

  if (isOver && world.random.chance(0.5)) return status === 'none' ? state.status : status;
  if (world.random.chance(world.cuts)) world.cutJournal();
  const command = isOver && world.random.chance(0.3) ? Person.retrying(world, state) : null;
  await world.start(command);
  return isOver && status === 'none' ? state.status : status;
}

function folded(events: readonly RunEvent[]): RunState {
  return events.reduce((state, event) => apply(state, event), emptyRunState());
}

/** Somebody sets the clock, by seconds or by days. */
function setClock({ timeline, random }: RunWorld): void {
  const by = 1 + random.below(random.pick([100, 10_000, 3_600_000, 40 * day]));
  timeline.set(random.chance(0.5) ? by : -by);
}

/** Everybody behaves: what failed is gone on with, and must succeed. */
async function rest(world: RunWorld, person: Person, problems: string[]): Promise<void> {
  world.calm = true;
  world.faults.fill(Infinity);
  for (let round = 0; round < 6; round += 1) {
    if (!world.host) await world.start();
    problems.push(...(await untilOver(world, person)));
    const state = folded(world.events());
    problems.push(...checkArtifacts(world.project), ...checkOver(world, state));
    // What began before the calm may still fail in it; after that, nothing may.
    if (round > 0 && state.status === 'SUCCEEDED') return void problems.push(...checkPictures(world, state));
  }
  throw new Error(`the run does not succeed: ${folded(world.events()).reason?.text ?? ''}`);
}

async function untilOver(world: RunWorld, person: Person): Promise<string[]> {
  const freshness = new Freshness();
  const problems: string[] = [];
  for (let step = 0; step < longest; step += 1) {
    if (!world.host) {
      if (folded(world.events()).endedAt !== null) return problems.slice(0, 1);
      await world.start();
    }
    if (step % 20 === 0) person.approveAll();
    if (!(await world.step())) throw new Error('nothing will ever happen');
    problems.push(...freshness.look(world));
  }
  throw new Error('the run does not come to its end');
}
