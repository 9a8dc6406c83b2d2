import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { relative } from 'node:path';
import { performance } from 'node:perf_hooks';
import metadata from '../../../../package.json' with { type: 'json' };
import type { Disk } from '../../../disk/disk.ts';
import { agentContainment } from '../../../host/containment.ts';
import { isStrict } from '../../../config/strict.ts';
import type { Capability } from '../../../kernel/capabilities.ts';
import { parkingOf } from '../../../host/parking.ts';
import { takeLock } from '../../../host/lock.ts';
import { ProcessRunner } from '../../../host/runner/agents.ts';
import type { RunnerEvents } from '../../../host/runner/runner.ts';
import { TurnFolders } from '../../../mail/mailboxes/turn-folders.ts';
import { maskOf } from '../../../process/output/mask.ts';
import type { HeldJob, JobSource } from '../queue/channel.ts';
import { takerOf, takerOfKind, type StepKind } from '../../../kernel/step-queues.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { isJsonObject } from '../../../kernel/json.ts';
import { orElse } from '../../../kernel/contained.ts';
import { maskReport, type Mask } from '../../../kernel/mask.ts';
import type { WorkerCard } from '../letters/worker.ts';
import { projectSecrets, variables } from '../../../workflow/host/secrets.ts';
import type { Settings } from '../../../project/definition/definition.ts';

import { keptFor, turnIn, workerIdOf } from '../remote-turn.ts';
import { GitTravel } from '../travel.ts';
import { Begun } from './begun.ts';
import { HeldTurn, type Workplace } from './held-turn.ts';
import { ownClock } from '../clocks.ts';
import { Presence } from './presence.ts';
import { sharedProblem, type WorkersAccess } from '../settings.ts';

/** For how long jobs of a role are left to others before it is asked again, in milliseconds. */
const restMs = 10_000;

/** What a worker takes, and whom it reports to. */
interface WorkerLimits {
  readonly roles: readonly string[];
  /** The kinds of steps of workflows that it runs. */
  readonly steps: readonly StepKind[];
  readonly labels: readonly string[];
  /** Whose usage limits its agents have. */
  readonly login: string;
  /** How many turns it runs at once. */
  readonly slots: number;
  /** Receives one line for each thing that happens. */
  readonly say: (text: string) => void;
}

interface WorkerOptions extends WorkersAccess, WorkerLimits {}

/**
 * A worker in this project's folder, which runs turns of other hosts' controllers. No other host
 * may use the folder meanwhile. Throws `E_LOCKED`.
 */
export async function openWorker(disk: Disk, settings: Settings, options: WorkerOptions) {
  const lock = await takeLock(disk);
  try {
    const turns = new Map<string, HeldTurn>();
    const at = await workplaceOf(disk, settings, options, turns);
    const { url, credentials, labels, lease } = options;
    const roles = [...options.roles, ...options.steps.map((kind) => takerOfKind(kind))];
    const { openSource } = await import('../queue/bull.ts');
    const open = (onChange: () => void) =>
      openSource(
        { url, name: credentials.project, roles, lease: keptFor(lease), onChange, onForeign: options.say },
        labels,
      );
    const worker = new Worker(at, options, turns, open);
    return {
      /** `drain`: running turns finish first; `stop`: they are left to other workers, uncounted. */
      end: (how: 'drain' | 'stop') => worker.end(how),
      /** Runs turns until it has ended. */
      run: async () => {
        // A turn that has nothing to transfer would not notice.
        const problems = [sharedProblem(disk.root, options), ownClock(options, Date.now)];
        for (const asked of problems) void asked.then((problem) => problem !== null && options.say(problem));
        try {
          await worker.run();
        } finally {
          await worker.close();
          await lock.release();
        }
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** `turns`: those that it runs, by key. */
async function workplaceOf(
  disk: Disk,
  settings: Settings,
  { credentials, git, isOrigin, labels, login }: WorkerOptions,
  turns: ReadonlyMap<string, HeldTurn>,
): Promise<Workplace> {
  const { config, providers, tools, extended } = settings;
  const secrets = projectSecrets(disk);
  const common = {
    project: disk.root,
    mark: `mailroom-worker-${createHash('sha256').update(disk.root).digest('hex').slice(0, 12)}:`,
    providers,
    contain: await agentContainment(disk, config, extended),
    now: Date.now,
    // Nothing lands from here.
    named: () => Promise.resolve([]),
  };
  const runner = (more: readonly string[]) =>
    new ProcessRunner({ ...common, secrets: [...more, ...secrets] }, eventsOf(turns));
  await runner([]).sweep();
  return {
    root: disk.root,
    travel: new GitTravel({ project: disk.root, git, isOrigin, secrets }),
    credentials,
    begun: new Begun(),
    labels,
    tools,
    runner,
    variables,
    forbids: (provider, capabilities) => forbidden(settings, provider, capabilities),
    worker: {
      host: hostname(),
      id: workerIdOf(credentials.admission?.name ?? '', randomUUID().slice(0, 8)),
      login,
    },
    version: metadata.version,
    folders: new TurnFolders(disk, maskOf(secrets)),
    mask: (more) => maskOf([...more, ...secrets]),
    maskFile: (path, mask) => maskIn(disk, path, mask),
    parking: parkingOf(disk, config),
    now: Date.now,
    elapsed: () => performance.now(),
  };
}

/** What the runner of a worker reports goes to its turns, by key. */
export function eventsOf(turns: ReadonlyMap<string, HeldTurn>): RunnerEvents {
  return {
    ready: (id) => turns.get(id)?.ready(),
    assigned: () => {},
    held: (id, problem) => turns.get(id)?.held(problem),
    ended: (id, outcome, exit, changed = new Map()) => turns.get(id)?.ended([outcome, exit, changed, null]),
    checked: () => {},
    landing: () => {},
  };
}

function maskIn(disk: Disk, path: string, mask: Mask): void {
  const within = relative(disk.root, path);
  if (disk.look(within)?.kind !== 'file') return;
  const text = disk.read(within, Number.MAX_SAFE_INTEGER)?.toString() ?? '';
  const masked = maskReport(text, mask);
  if (masked !== text) disk.write(within, masked);
}

/** Why the configuration of a worker does not allow an agent, in words; null: it does. */
function forbidden(
  { config, providers, broaderThanRequested }: Settings,
  provider: string,
  capabilities: readonly Capability[],
): string | null {
  if (!providers.has(provider)) return `mailroom.yaml of this worker has no provider \`${provider}\``;
  const more = isStrict(config) ? (broaderThanRequested.get(provider)?.(capabilities) ?? []) : [];
  if (more.length === 0) return null;
  return `this worker is strict, and the permissions of \`${provider}\` are broader than requested: ${more.join('; ')}`;
}

/** Takes turns while there is room, and looks after them. Level-triggered, as every host. */
export class Worker {
  readonly #at: Workplace;
  readonly #options: WorkerLimits;
  readonly #turns: Map<string, HeldTurn>;
  readonly #source: JobSource;
  readonly #presence: Presence;
  readonly #over: Promise<'over'>;
  #end: () => void = () => {};
  #isEnding = false;
  #isPaused = false;
  /** A question that was asked before the end, whose answer may be a job. */
  #late: Promise<unknown> = Promise.resolve();
  /** The roles whose jobs are left to other workers, and until when, on `elapsed`. */
  readonly #resting = new Map<string, number>();
  #stirred = false;
  #wake: () => void = () => {};
  #problem: string | null = null;
  /** Why the queue answered with an error last, in words. */
  #refusal: string | null = null;

  constructor(
    at: Workplace,
    options: WorkerLimits,
    turns: Map<string, HeldTurn>,
    open: (onChange: () => void) => JobSource,
  ) {
    this.#at = at;
    this.#options = options;
    this.#turns = turns;
    this.#over = new Promise((resolve) => (this.#end = () => resolve('over')));
    let isOpen = false;
    this.#source = open(() => {
      // A question that waits for the queue holds everything else up.
      if (isOpen) this.#reportProblem();
      this.#stir();
    });
    isOpen = true;
    const { roles, steps, labels, slots } = options;
    const { credentials } = at;
    const about = {
      ...at.worker,
      version: at.version,
      roles: [...roles],
      steps: [...steps],
      labels: [...labels],
      slots,
      since: at.now(),
    };
    this.#presence = new Presence(this.#source, {
      credentials,
      about,
      now: () => at.now(),
      elapsed: () => at.elapsed(),
    });
  }

  end(how: 'drain' | 'stop'): void {
    this.#isEnding = true;
    this.#end();
    if (how === 'stop') for (const turn of this.#turns.values()) turn.putBack();
    this.#stir();
  }

  async run(): Promise<void> {
    while (!this.#isEnding || this.#turns.size > 0) {
      this.#stirred = false;
      this.#reportProblem();
      for (const turn of this.#turns.values()) turn.look();
      this.#talk();
      await this.#fill();
      if (!this.#stirred) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async close(): Promise<void> {
    if (this.#source.problem() === null) {
      await this.#late;
      await this.#presence.leave().catch(() => {});
    }
    await this.#source.close();
  }

  #talk(): void {
    const state = this.#isEnding ? 'draining' : this.#isPaused ? 'paused' : 'active';
    const running = [...this.#turns.keys()].map(turnIn);
    this.#presence.talk({ state, running, parked: this.#parked() }, (order) => {
      this.#options.say(`was ordered: ${order}`);
      if (order === 'drain') this.end('drain');
      this.#isPaused = order === 'pause';
      this.#stir();
    });
  }

  async #fill(): Promise<void> {
    while (!this.#isEnding && !this.#isPaused && this.#turns.size < this.#options.slots) {
      const taking = this.#source.take(this.#leaves());
      const held = await Promise.race([taking, this.#over]).catch((error: unknown) => this.#refusedBy(error));
      if (held === 'over') this.#late = taking.then((job) => job?.putBack()).catch(() => {});
      if (held === 'over' || held === null) return;
      if (this.#isLimited(held)) this.#leave(held);
      else this.#begin(held);
    }
  }

  /** Whatever lies in the queue, this worker asks again. */
  #refusedBy(error: unknown): null {
    const text = `the queue cannot give any work: ${messageOf(error)}`;
    if (text !== this.#refusal) this.#options.say(text);
    this.#refusal = text;
    return null;
  }

  #leaves(): ReadonlySet<string> {
    const now = this.#at.elapsed();
    return new Set([...this.#resting].flatMap(([role, until]) => (until > now ? [role] : [])));
  }

  /** Whether its login has hit the usage limit of a provider. */
  #isLimited({ data }: HeldJob): boolean {
    const { body = null } = isJsonObject(data) ? data : {};
    const { job = null } = isJsonObject(body) ? body : {};
    const provider = isJsonObject(job) ? job['provider'] : null;
    return this.#parked().some((one) => one.provider === provider);
  }

  #parked(): WorkerCard['parked'] {
    const now = this.#at.now();
    const listed = [...orElse(() => this.#at.parking.list(), new Map<string, number>())];
    return listed.flatMap(([provider, until]) => (until > now ? [{ provider, until }] : []));
  }

  #leave(held: HeldJob): void {
    this.#rest(held.role);
    held.putBack().catch(() => {});
  }

  #rest(role: string): void {
    this.#resting.set(role, this.#at.elapsed() + restMs);
  }

  #begin(held: HeldJob): void {
    // Somebody has taken it from this worker, whose agent ends first.
    if (this.#turns.has(held.id)) return;
    const turn = new HeldTurn(this.#at, held);
    this.#turns.set(held.id, turn);
    const { say } = this.#options;
    say(`${doerOf(held)} begins ${turnIn(held.id)}`);
    void this.#follow(held, turn);
  }

  async #follow(held: HeldJob, turn: HeldTurn): Promise<void> {
    const what = await turn.run();
    // Its machine may be repaired by then.
    if (turn.fault !== null) this.#rest(held.role);
    this.#turns.delete(held.id);
    this.#options.say(`${doerOf(held)} ${turnIn(held.id)} ${what}`);
    this.#stir();
  }

  #reportProblem(): void {
    const problem = this.#source.problem();
    if (problem !== this.#problem) this.#options.say(problem ?? 'the queue can be reached');
    this.#problem = problem;
  }

  #stir(): void {
    this.#stirred = true;
    this.#wake();
  }
}

/** Who does a job, for people: a role, or a step of a workflow. */
function doerOf({ role }: HeldJob): string {
  return takerOf(role).startsWith('+') ? 'step' : role;
}
