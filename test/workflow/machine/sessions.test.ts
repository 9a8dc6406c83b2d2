import { expect, it } from 'vitest';
import { tryLaunch } from '../../../src/workflow/machine/resolve.ts';
import { findStep } from '../../../src/workflow/machine/scope.ts';
import { readCheck } from '../../../src/workflow/machine/verdict.ts';
import { exit } from '../../providers/samples.ts';
import { graph, workflow } from './graph.ts';
import { result, World } from './world.ts';
import type { Launch } from '../../../src/workflow/machine/launch.ts';

/** An agent that is asked for a summary of what it did. */
function summarised(): World {
  const body = graph('a : agent=claude check=1');
  const steps = body.steps.map((step) => ({
    ...step,
    check: step.check && { ...step.check, purpose: 'summary' as const },
  }));
  return new World(workflow({ ...body, steps }));
}

function nextLaunch({ decision, state, rules }: World): Launch {
  const [next] = decision.processes;
  const launch = next && tryLaunch(state, rules, findStep(state, rules, next.path)!, next.key);
  if (launch?.ok !== true) throw new Error('nothing can be launched');
  return launch.value;
}

it('charges what a summary at a limit of use has used in the conversation of its worker once', () => {
  const world = summarised();
  const worked = { id: 's', usd: 1, tokens: 100 };
  world.happens({
    type: 'ended',
    key: world.key('a'),
    result: { ...result({ is: 'done' }, {}), session: worked },
  });
  const first = nextLaunch(world);
  expect(first.session).toEqual(worked);
  const reached = { id: 's', usd: 1.5, tokens: 150 };
  const reason = { code: 'E_PROVIDER', text: 'the limit of use is reached' } as const;
  const usage = { usd: 0.5, tokens: 50 };
  const outcome = {
    is: 'later',
    class: 'RETRYABLE_RATE_LIMIT',
    reason,
    until: world.now + 1_000,
    usage,
    session: reached,
  } as const;
  const collected = { artifacts: [], missing: [], values: null, decision: null, warnings: [] };
  const read = readCheck(first, { exit: exit(), outcome, collected, changed: [] });
  world.checked('a', read.verdict, read.result);
  expect(world.state.cost).toMatchObject({ usd: 0.5, tokens: 50 });
  world.pass(60_000);
  expect(nextLaunch(world).session).toEqual(reached);
});

it.each(['put-back', 'resumed'] as const)('charges a conversation once that was stopped (%s)', (type) => {
  const world = summarised();
  const worked = { id: 's', usd: 1, tokens: 100 };
  world.happens({
    type: 'ended',
    key: world.key('a'),
    result: { ...result({ is: 'done' }, { usd: 1, tokens: 100 }), session: worked },
  });
  const reached = { id: 's', usd: 1.5, tokens: 150 };
  const used = [{ path: 'a', usage: { usd: 0.5, tokens: 50 }, session: reached }];
  const { key } = nextLaunch(world);
  if (type === 'put-back') world.happens({ type, key, used });
  else world.happens({ type, by: 'up', used });
  expect(world.state.cost).toEqual({ usd: 1.5, tokens: 150, unpriced: 0 });
  expect(nextLaunch(world).session).toEqual(reached);
});
