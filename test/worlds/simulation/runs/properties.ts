import { isJsonObject, type JsonObject } from '../../../../src/kernel/json.ts';
import { apply } from '../../../../src/workflow/machine/apply.ts';
import { verdictIn } from '../../../../src/workflow/machine/commands.ts';
import type { RunEvent } from '../../../../src/workflow/machine/event.ts';
import type { Workflow } from '../../../../src/workflow/model.ts';
import { isIn } from '../../../../src/workflow/machine/fold/steps.ts';
import { emptyRunState, type RunState, type StepRun } from '../../../../src/workflow/machine/state.ts';
import { RunExplainer } from '../../../../src/workflow/machine/explain/explain.ts';
import { documentOf, summaryOf } from '../../../../src/workflow/machine/view.ts';
import { resumptionOf } from '../../../../src/workflow/machine/resumption.ts';
import { compile } from '../../../../src/workflow/machine/rules.ts';
import type { Disk } from '../../../../src/disk/disk.ts';
import { placeOf } from '../../../../src/workflow/files/layout.ts';
import { artifact } from './definitions.ts';
import { firstUsage } from './workers.ts';
import { expectedStatus, oddities, type Told } from './oracle.ts';
import { unexplained } from '../../../workflow/machine/unexplained.ts';
import { longestSync } from '../virtual-world.ts';
import type { RunWorld } from './world.ts';

const context = 'context';

/**
 * Wherever an artifact lies in the context folder it is whole: both of its files, of one making. Of
 * a silent worker what is there is kept, as its step wants it.
 */
export function checkArtifacts(world: RunWorld): string[] {
  const { project: disk, workflow } = world;
  const places = world
    .events()
    .flatMap((event) => (event.type === 'started' ? [placeOf(workflow, event.path)] : []));
  const keepsHalf = new Set(
    places.flatMap(({ step, folder }) =>
      step.stall?.policy === 'incomplete' ? [`${context}/${folder}/${artifact}`] : [],
    ),
  );
  return foldersIn(disk, context)
    .filter((folder) => folder.endsWith(`/${artifact}`) && !keepsHalf.has(folder))
    .flatMap((folder) => {
      const [a, b] = [text(disk, `${folder}/a.txt`), text(disk, `${folder}/b.txt`)];
      return a !== null && a === b ? [] : [`half an artifact in ${folder}: ${String(a)} and ${String(b)}`];
    });
}

function foldersIn(disk: Disk, folder: string): string[] {
  if (disk.look(folder)?.kind !== 'folder') return [];
  const below = (disk.list(folder) ?? []).filter((name) => !name.startsWith('.'));
  return [folder, ...below.flatMap((name) => foldersIn(disk, `${folder}/${name}`))];
}

function text(disk: Disk, path: string): string | null {
  return disk.read(path, 1_000_000)?.toString() ?? null;
}

function json(disk: Disk, path: string): JsonObject {
  const value: unknown = JSON.parse(text(disk, path) ?? 'null');
  return isJsonObject(value) ? value : {};
}

/** What the document of a run that is over says fits what happened, and what lies in the context folder. */
export function checkOver(world: RunWorld, state: RunState): string[] {
  const { workflow } = world;
  const document = documentOf(state, compile(workflow));
  const steps = document['steps'] as unknown as Readonly<Record<string, Told>>;
  const expected = expectedStatus(workflow.body, steps, world.events());
  const problems = [...oddities(workflow.body, steps), ...checkEnd(state, workflow)];
  if (expected !== null && expected !== state.status)
    problems.push(`the run is ${state.status}, and should be ${expected}`);
  for (const [id, { status }] of Object.entries(steps))
    if (['PENDING', 'READY', 'RUNNING', 'CHECKING'].includes(status))
      problems.push(`${id} is ${status} at the end`);
  return problems;
}

/** A run or step that failed for a missing login says so, and names the command that repeats it. */
function checkEnd(state: RunState, workflow: Workflow): string[] {
  const explainer = new RunExplainer(state, compile(workflow), state.now);
  const settled = [...state.steps.values()].flatMap((run) => (isIn(run, 'settled') ? [run] : []));
  const ends = [
    { what: 'the run', reason: state.reason, why: explainer.run() },
    ...settled.map(({ path, phase }) => ({
      what: path,
      reason: phase.status === 'FAILED' ? phase.reason : null,
      why: explainer.step(path),
    })),
  ];
  return ends.flatMap(({ what, reason, why }) => {
    const isMissing = reason?.code === 'E_LOGIN' && state.status !== 'SUCCEEDED';
    const isSaid = why?.code === 'login_missing' && why.act !== null && why.cause !== null;
    return isMissing && !isSaid ? [`${what} lacks a login, and ${why?.code ?? 'nothing'} is said`] : [];
  });
}

/** What lies in the context folder when everything could be drawn. */
export function checkPictures(world: RunWorld, state: RunState): string[] {
  const { project: disk, workflow, floor } = world;
  const problems: string[] = [];
  const summary = json(disk, `${context}/_workflow.json`);
  if (summary['status'] !== state.status)
    problems.push(`_workflow.json says ${JSON.stringify(summary['status'])}`);
  for (const [path, run] of state.steps) {
    if (!isIn(run, 'settled')) continue;
    const folder = `${context}/${placeOf(workflow, path).folder}`;
    const { status } = run.phase;
    const meta = json(disk, `${folder}/_meta.json`);
    if (meta['status'] !== status)
      problems.push(`_meta.json of ${path} says ${JSON.stringify(meta['status'])}, not ${status}`);
    if (!floor.made.has(path)) continue;
    const made = text(disk, `${folder}/${artifact}/a.txt`);
    const has = run.artifacts.length > 0;
    if (has !== (made !== null)) problems.push(`${path} ${status} has ${has ? 'no' : 'an'} artifact`);
    if (has && made !== floor.made.get(path))
      problems.push(`the artifact of ${path} is ${String(made)}, not ${String(floor.made.get(path))}`);
  }
  return problems;
}

/** Watches that `_workflow.json` says what is so, a second after its record became durable at the latest. */
export class Freshness {
  /** Since when the picture of this host differs, by the clock that nobody sets; null: it does not. */
  #since: number | null = null;
  #host: unknown = null;
  #drawn = '';

  look(world: RunWorld): string[] {
    const { process: host, timeline, project, workflow, faults } = world;
    // Of a host that was killed in the background, and does not know it yet, nothing can be read.
    if (host === null || faults.killed || host.host.state.startedAt === null) return [];
    const { status, steps } = summaryOf(host.host.state, compile(workflow));
    const shown = json(project, `${context}/_workflow.json`);
    const drawn = JSON.stringify([shown['status'], shown['steps']]);
    const isSame = JSON.stringify([status, steps]) === drawn;
    // It may have been right for a moment, when a report of a process came during the sync before.
    if (isSame || host !== this.#host || drawn !== this.#drawn) this.#since = null;
    this.#host = host;
    this.#drawn = drawn;
    if (isSame) return [];
    this.#since ??= timeline.elapsed;
    const age = timeline.elapsed - this.#since;
    return age > 1_000 + longestSync
      ? [`_workflow.json is ${String(age)} ms old: ${JSON.stringify(shown)}`]
      : [];
  }
}

/** How many things may happen, none of them anybody's work, before what rests must have a reason. */
const patience = 10;

/** Watches that nothing rests for no reason: neither the run nor a step of it. */
export class Silence {
  #events = -1;
  #steps = 0;

  look({ process: host, timeline, rules, faults, neighbours }: RunWorld): string[] {
    if (host === null || faults.killed || timeline.busy || host.host.state.events !== this.#events) {
      this.#events = host?.host.state.events ?? -1;
      this.#steps = 0;
      return [];
    }
    this.#steps += 1;
    if (this.#steps < patience) return [];
    return unexplained(host.host.state, rules, timeline.now, neighbours.left, neighbours.agents);
  }
}

/** What the journal may not say, whatever happened. */
export function checkHistory(events: readonly RunEvent[]): string[] {
  const problems: string[] = [];
  const verdicts = new Map<string, number>();
  let cancelled = false;
  for (const event of events) {
    const verdict = verdictIn(event);
    if (verdict !== null) verdicts.set(verdict.id, (verdicts.get(verdict.id) ?? 0) + 1);
    if (event.type === 'cancelled') cancelled = true;
    if (event.type === 'reopened') cancelled = false;
    const isLast = /(?:^|\/)last\//.test(event.type === 'started' ? event.path : '');
    if (event.type === 'started' && cancelled && !isLast)
      problems.push(`${event.path} was started after the cancelling`);
  }
  for (const [id, times] of verdicts)
    if (times > 1) problems.push(`the command ${id} was taken ${String(times)} times`);
  return problems;
}

const begins = new Set(['started', 'checking', 'expanded', 'asked', 'settled', 'skipped']);
/** People, who may want again what `resume --explain` could not know of. */
const wishes = new Set(['resumed', 'retried', 'updated', 'cancelled']);

/** Whatever `resume --explain` would have called reused at a resumption was not begun after it. */
export function checkResumptions(workflow: Workflow, events: readonly RunEvent[]): string[] {
  const rules = compile(workflow);
  const problems: string[] = [];
  let reused = new Set<string>();
  let state = emptyRunState();
  for (const [index, event] of events.entries()) {
    if (wishes.has(event.type)) reused = new Set();
    if (event.type === 'resumed' && events[index + 1]?.type !== 'retried') {
      const rows = resumptionOf(state, rules, null).filter(({ does }) => does === 'reused');
      reused = new Set(rows.map(({ path }) => path));
    }
    if (begins.has(event.type) && 'path' in event && reused.has(event.path))
      problems.push(`${event.path} was to be reused at a resumption, and then ${event.type}`);
    state = apply(state, event);
  }
  return problems;
}

/**
 * What an agent of this host had reported is charged, whatever else than its own end ended it, and nothing is charged
 * twice.
 */
export function checkUsed(events: readonly RunEvent[]): string[] {
  const problems: string[] = [];
  let state = emptyRunState();
  for (const event of events) {
    const agents = new Map(agentsHere(state).map((run) => [run.path, nameOf(run)]));
    const { tokens } = state.cost;
    state = apply(state, event);
    if (event.type === 'ended' || event.type === 'checked') continue;
    const still = new Set(agentsHere(state).map(nameOf));
    const ended = [...agents].filter(([, name]) => !still.has(name)).map(([path]) => path);
    const used = 'used' in event ? (event.used ?? []) : [];
    if (
      ended.toSorted().join() !==
      used
        .map(({ path }) => path)
        .toSorted()
        .join()
    )
      problems.push(`${event.type} ended ${ended.join()}, and has the usage of ${JSON.stringify(used)}`);
    for (const { usage } of used)
      if (usage.tokens !== null && usage.tokens !== firstUsage.tokens)
        problems.push(`${String(usage.tokens)} tokens were read`);
    const charged = used.reduce((sum, { usage }) => sum + (usage.tokens ?? 0), 0);
    if (state.cost.tokens !== tokens + charged) problems.push(`${event.type} charged something else`);
  }
  return problems;
}

function agentsHere({ active, steps }: RunState) {
  return [...active].flatMap((path) => {
    const run = steps.get(path);
    if (!isIn(run, 'running', 'checking') || run.phase.provider === null) return [];
    return isIn(run, 'running') && (run.phase.posted || run.phase.launched !== null) ? [] : [run];
  });
}

function nameOf({ path, iteration, attempt, checks, phase }: StepRun): string {
  return `${path} ${String(iteration)}.${String(attempt)}.${String(checks)} ${phase.is}`;
}
