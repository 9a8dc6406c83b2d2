import { createHash } from 'node:crypto';
import type { Assigned, Queued } from '../../kernel/launched.ts';
import { stepQueue } from '../../kernel/step-queues.ts';
import { roleBranch } from '../../kernel/work.ts';
import type { AgentJob, RemoteProgram } from '../../host/runner/runner.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { Invocation } from '../../providers/provider.ts';
import { isIn } from '../machine/fold/steps.ts';
import { processName, type Launch, type LaunchCheckout, type Prepared } from '../machine/launch.ts';
import { commandOf, invocationOf, programInvocation } from './command-line.ts';
import type { RunLedger } from './ledger.ts';
import type { RunPorts } from './ports.ts';

/** A step that goes to the workers of other hosts. */
interface AwayStep {
  /** Of its process. */
  readonly key: string;
  readonly launch: Launch;
  readonly prepared: Prepared;
  /** Of its agent; null: it has none. */
  readonly invocation: Invocation | null;
  /** Whether its changes are reported. */
  readonly watched: boolean;
}

/**
 * The steps of a run on workers of other hosts. Their jobs are in the journal before they are in
 * the queue, so that the next host of the run finds them there.
 */
export class AwaySteps {
  readonly #ledger: RunLedger;
  readonly #ports: Pick<RunPorts, 'away' | 'project'>;
  /** Keys whose jobs, or their workers, are recorded, and perhaps not durable. */
  readonly #recorded = new Set<string>();
  /** The same for ends. */
  readonly #over = new Set<string>();

  constructor(ledger: RunLedger, ports: Pick<RunPorts, 'away' | 'project'>) {
    this.#ledger = ledger;
    this.#ports = ports;
  }

  start(step: AwayStep): void {
    const { away, project } = this.#ports;
    if (away === undefined) throw new MailroomError('E_STEP', 'this process reaches no workers');
    away.start({ ...jobOf(project, step), ...this.#known(step.launch) });
  }

  /** The job that an earlier host has recorded for a step; null: none. */
  #queued({ key }: Pick<Launch, 'key'>): Queued | null {
    const run = this.#ledger.state.steps.get(key.path);
    return isIn(run, 'running') ? run.phase.launched : null;
  }

  /** What an earlier host has recorded for a step. */
  #known({ key }: Pick<Launch, 'key'>): Pick<AgentJob, 'queued' | 'assigned'> {
    const run = this.#ledger.state.steps.get(key.path);
    if (!isIn(run, 'running') || run.phase.launched === null) return {};
    return { queued: run.phase.launched, assigned: run.phase.worker };
  }

  /** Whether a step continues without this host. */
  isLaunched(launch: Pick<Launch, 'key'>): boolean {
    return this.#queued(launch) !== null;
  }

  /** The job of a step is known: it enters the queue once the journal has it. */
  launched(text: string, { key }: Launch, process: Queued): void {
    this.#ledger.record([{ type: 'launched', key, process }]);
    this.#recorded.add(text);
  }

  /** The worker may begin once the journal has it. */
  assigned(text: string, { key }: Launch, worker: Assigned | null): void {
    const run = this.#ledger.state.steps.get(key.path);
    if (!isIn(run, 'running')) return;
    if (run.phase.worker?.id !== worker?.id) this.#ledger.record([{ type: 'assigned', key, worker }]);
    if (worker !== null) this.#recorded.add(text);
  }

  over(text: string): void {
    this.#over.add(text);
  }

  /** Call it only after a flush. */
  flushed(): void {
    for (const text of this.#recorded) this.#ports.away?.release(text);
    for (const text of this.#over) this.#ports.away?.forget(text);
    this.#recorded.clear();
    this.#over.clear();
  }

  /** Removes what earlier hosts have left of jobs that no step needs. */
  clean(): void {
    const { active } = this.#ledger.state;
    const jobs = [...active].flatMap((path) => this.#queued({ key: keyOf(path) })?.job ?? []);
    this.#ports.away?.clean(new Set(jobs));
  }

  leave(text: string): void {
    this.#ports.away?.leave(text);
  }

  stop(text: string): void {
    this.#ports.away?.stop(text);
  }
}

const keyOf = (path: string) => ({ path, iteration: 0, attempt: 0, check: 0 });

/** The secrets of a step on another host are those of that host. */
export function invocationAway(project: string, launch: Launch, prepared: Prepared, prompt: string) {
  return invocationOf(launch, prepared, prompt, { project, secrets: {} });
}

function programOf(project: string, launch: Launch, prepared: Prepared): RemoteProgram {
  const command = commandOf(launch, prepared, null, new Map(), { project, secrets: {} });
  if (typeof command === 'string') throw new MailroomError('E_PROVIDER', command);
  const { argv, stdin, files } = command;
  return {
    argv,
    stdin,
    files,
    capabilities: 'capabilities' in launch.work ? launch.work.capabilities : null,
  };
}

function jobOf(project: string, { key, launch, prepared, invocation: agents, watched }: AwayStep): AgentJob {
  const invocation = agents ?? programInvocation(launch, prepared, { project, secrets: {} });
  const { run, work, on = { labels: [] }, checkout, timeout, stall, grace, secrets, inherit } = launch;
  const { workspace } = prepared;
  const turn = `${run}-${wordOf(launch.key.path)}`;
  return {
    key,
    provider: work.kind === 'agent' ? work.provider : '',
    invocation: { ...invocation, turn },
    ...(agents === null && { program: programOf(project, launch, prepared) }),
    ...(checkout && { entered: travelling(launch, checkout) }),
    files: {
      base: null,
      carries: prepared.inputs.map(({ path }) => path),
      brings: [...invocation.owed, prepared.valuesFile, ...(launch.stdout === null ? [] : [prepared.stdout])],
      values: [prepared.valuesFile],
    },
    on,
    queue: stepQueue(work.kind === 'agent' ? work.provider : null, on.labels),
    totalMs: timeout,
    idleMs: stall?.after ?? null,
    graceMs: grace,
    secrets,
    inherit,
    noteTree: false,
    worktree: null,
    watched: watched ? [workspace] : [],
  };
}

function travelling({ run, key }: Launch, { name }: LaunchCheckout) {
  return { turn: processName(key), role: name, thread: run, branch: roleBranch(run, name) };
}

/** A step's path as a word, which is a part of names of folders and refs. */
function wordOf(path: string): string {
  const word = path.replaceAll(/[^\w-]/g, '_').slice(0, 40);
  return word === path ? word : `${word}-${createHash('sha256').update(path).digest('hex').slice(0, 8)}`;
}
