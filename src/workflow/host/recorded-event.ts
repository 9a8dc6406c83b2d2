import { reportedUsage } from '../../host/reported-usage.ts';
import type { Fact, Happening, StepPath, UsedByPath } from '../machine/event.ts';
import { isIn } from '../machine/fold/steps.ts';
import type { Launch, Prepared } from '../machine/launch.ts';
import { maskEvent, typesIn } from '../machine/mask-event.ts';
import { keyOf, tryLaunch } from '../machine/resolve.ts';
import type { Rules } from '../machine/rules.ts';
import { findStep } from '../machine/scope.ts';
import type { RunState } from '../machine/state.ts';
import { invocationOf } from './command-line.ts';
import type { RunPorts } from './ports.ts';

type Ports = Pick<RunPorts, 'clock' | 'files' | 'mask' | 'project' | 'providers'>;
type Recorded = Fact | Happening;

/**
 * An event as the journal gets it: without secrets, and with what the agents have reported that it
 * ends without their results. `state`: before the event.
 */
export function recordedEvent(event: Recorded, state: RunState, rules: Rules, ports: Ports): Recorded {
  const typesOf = (path: StepPath) => typesIn(findStep(state, rules, path)?.rule.step ?? null);
  return maskEvent(withUsed(event, state, rules, ports), ports.mask, typesOf);
}

function withUsed(event: Recorded, state: RunState, rules: Rules, ports: Ports): Recorded {
  const used = stoppedBy(event, state).flatMap((path) => usedBy(state, path, rules, ports));
  return used.length === 0 ? event : ({ ...event, used } as Recorded);
}

/** The steps whose processes an event ends without a result. */
function stoppedBy(event: Recorded, { active }: RunState): readonly StepPath[] {
  switch (event.type) {
    case 'put-back':
      return [event.key.path];
    case 'resumed':
      return [...active];
    case 'swept':
      return event.cancelled;
    case 'reopened':
      return [...active].filter((path) => event.steps.some((step) => `${path}/`.startsWith(`${step}/`)));
    default:
      return [];
  }
}

/** Empty: it runs no agent on this host. */
function usedBy(state: RunState, path: StepPath, rules: Rules, ports: Ports): UsedByPath {
  const run = state.steps.get(path);
  if (!isIn(run, 'running', 'checking') || run.phase.provider === null) return [];
  if (run.phase.is === 'running' && (run.phase.posted || run.phase.launched !== null)) return [];
  const key = keyOf(run);
  const found = findStep(state, rules, path);
  if (key === null || found === null) return [];
  const invocation = () => {
    const launch = tryLaunch(state, rules, found, key);
    return launch.ok ? agentOf(launch.value, ports.project) : null;
  };
  const provider = ports.providers.get(run.phase.provider);
  const reported = reportedUsage(provider, () => ports.files.printed(key), invocation, ports.clock.now());
  return [{ path, ...reported }];
}

function agentOf(launch: Launch, project: string) {
  return invocationOf(launch, nowhere, '', { project, secrets: {} });
}

/** Its output is read, so that no path matters. */
const nowhere: Prepared = {
  workspace: '',
  folder: '',
  valuesFile: '',
  decisionFile: null,
  stdin: null,
  inputs: [],
  stdout: '',
  stderr: '',
};
