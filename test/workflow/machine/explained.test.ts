import fc from '../../support/fast-check.ts';
import { expect, it } from 'vitest';
import type { RunEvent } from '../../../src/workflow/machine/event.ts';
import { resumptionOf } from '../../../src/workflow/machine/resumption.ts';
import type { RunState } from '../../../src/workflow/machine/state.ts';
import { graphText, sequenceText } from './random-graph.ts';
import { finish, play } from './random-run.ts';
import { World } from './world.ts';

/** Steps of which an event says that they begin, or that they have come to something. */
function begun(events: readonly RunEvent[]): Set<string> {
  const paths = events.flatMap((event) => {
    switch (event.type) {
      case 'started':
      case 'checking':
      case 'expanded':
      case 'asked':
      case 'settled':
      case 'skipped':
        return [event.path];
      default:
        return [];
    }
  });
  return new Set(paths);
}

/** Iterations of loops that came to their end before the run did. */
function finishedRounds({ scopes, steps }: RunState): string[] {
  const stopped = [...steps.values()].filter(
    ({ phase }) =>
      phase.is !== 'settled' || phase.status === 'CANCELLED' || phase.skipped?.why === 'run-ended',
  );
  return [...scopes.values()].flatMap(({ path, item, left }) => {
    const isWhole = !stopped.some((step) => step.path.startsWith(`${path}/`));
    return item !== null && left?.failed === null && isWhole ? [path] : [];
  });
}

/** What `resume --explain` says of a run, and what resuming it then begins. */
function resumed(world: World): { said: Map<string, string>; did: Set<string> } {
  const rows = resumptionOf(world.state, world.rules, null);
  const before = world.history.length;
  world.crash('person');
  finish(world);
  return {
    said: new Map(rows.map(({ path, does }) => [path, does])),
    did: begun(world.history.slice(before)),
  };
}

it.each([
  ['graph', graphText],
  ['sequence', sequenceText],
])(
  'resume does what --explain says and repeats no finished iteration, of a %s that ended or was interrupted anywhere',
  (_, text) => {
    const tape = fc.array(fc.nat({ max: 1_000 }), { maxLength: 80 });
    let runs = 0;
    fc.assert(
      fc.property(text, tape, fc.nat(), fc.boolean(), (definition, moves, pick, whole) => {
        const played = play(definition, moves, { watched: false });
        const { history } = played;
        const world = new World(definition, { watched: false });
        world.rewind(whole ? history : history.slice(0, 1 + (pick % history.length)));
        const finished = finishedRounds(world.state);
        const { said, did } = resumed(world);
        const done = [...did];
        expect(done.filter((path) => finished.some((round) => path.startsWith(`${round}/`)))).toEqual([]);
        expect(done.filter((path) => ['reused', 'ends'].includes(said.get(path) ?? ''))).toEqual([]);
        if (world.state.status !== 'SUCCEEDED') return;
        runs += 1;
        const due = [...said].flatMap(([path, does]) =>
          does === 'runs' && !path.includes('#') ? [path] : [],
        );
        expect(due.filter((path) => !did.has(path))).toEqual([]);
      }),
      { numRuns: 150 },
    );
    expect(runs).toBeGreaterThan(25);
  },
);
