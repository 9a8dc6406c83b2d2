import { World, type WorldOptions } from './world.ts';

/** Most moves of a schedule; after that everything ends well, so that every run comes to an end. */
const mostMoves = 60;

/** How a schedule goes: each number decides one thing. */
export type Tape = readonly number[];

/**
 * Plays a run to its end: steps end well and badly, checks say anything, gates are judged or not, hosts die, people cancel
 * and resume. Throws when something that must hold does not, or when the run does not end.
 */
export function play(text: string, tape: Tape, options: WorldOptions): World {
  const world = new World(text, options);
  let at = 0;
  const next = (below: number): number => (tape[at++] ?? 0) % below;
  for (let move = 0; world.state.endedAt === null; move += 1) {
    if (move > 4_000) throw new Error('the run does not end');
    if (move < mostMoves && tape.length > 0) randomMove(world, next);
    else calmMove(world);
  }
  return world;
}

/** Lets a run go on to its end, well. */
export function finish(world: World): void {
  for (let move = 0; world.state.endedAt === null; move += 1) {
    if (move > 4_000) throw new Error('the run does not end');
    calmMove(world);
  }
}

function randomMove(world: World, next: (below: number) => number): void {
  const { running } = world;
  const gates = [...world.state.active].filter((path) => world.state.steps.get(path)?.phase.is === 'asked');
  const what = next(24);
  if (what === 0) return world.crash('person');
  if (what === 1) return world.crash('up');
  if (what === 2) return world.pass(next(3) * 200_000);
  if (what === 3 && next(6) === 0) return world.happens({ type: 'cancelled', by: 'ada', command: null });
  if (what === 4 && running.length > 0) {
    const key = world.key(running[next(running.length)] ?? '');
    return world.happens({ type: 'put-back', key });
  }
  const gate = gates[next(Math.max(1, gates.length))];
  if (gate !== undefined && (running.length === 0 || next(3) === 0))
    return world.judge(gate, next(4) === 0 ? 'reject' : 'approve');
  const name = running[next(Math.max(1, running.length))];
  if (name === undefined) return wait(world);
  if (name.endsWith('?')) return endCheck(world, name.slice(0, -1), next);
  endWork(world, name, next);
}

function endWork(world: World, name: string, next: (below: number) => number): void {
  switch (next(8)) {
    case 0:
      return world.fails(name);
    case 1:
      return world.fails(name, { class: 'NON_RETRYABLE', text: `broken ${String(next(2))}` });
    case 2:
      return world.fails(name, { class: 'RETRYABLE_RATE_LIMIT', until: world.now + next(100) * 1_000 });
    case 3:
      return next(4) === 0 ? world.fails(name, { class: 'FATAL' }) : world.done(name, { values: { v: 1 } });
    default:
      return world.done(name, { values: { v: next(3) }, artifacts: ['out'] });
  }
}

function endCheck(world: World, name: string, next: (below: number) => number): void {
  const reason = { code: 'E_CHECK', text: 'no verdict' } as const;
  switch (next(5)) {
    case 0:
    case 1:
      return world.incomplete(name, [`finding ${String(next(2))}`]);
    case 2:
      return world.checked(name, { is: 'none', reason, final: next(5) === 0 });
    default:
      return world.complete(name);
  }
}

/** Everything ends well. */
function calmMove(world: World): void {
  const [name] = world.running;
  const gate = [...world.state.active].find((path) => world.state.steps.get(path)?.phase.is === 'asked');
  if (name?.endsWith('?') === true) return world.complete(name.slice(0, -1));
  if (name !== undefined) return world.done(name, { values: { v: 1 }, artifacts: ['out'] });
  if (gate !== undefined) return world.judge(gate, 'approve');
  wait(world);
}

function wait(world: World): void {
  const { wake } = world.decision;
  if (wake === null) throw new Error('nothing will ever happen');
  world.pass(wake - world.now);
}
