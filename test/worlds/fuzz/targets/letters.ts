import fc from '../../../support/fast-check.ts';
import { MailroomError } from '../../../../src/kernel/errors.ts';
import type { Json, JsonObject } from '../../../../src/kernel/json.ts';
import { contextHolderFile, readContextHolder } from '../../../../src/workflow/files/context-holder.ts';
import { refuseBadMemories, rememberedWorkflows } from '../../../../src/workflow/triggers/memory-files.ts';
import { readBoot, readHolder } from '../../../../src/host/holder.ts';
import { readParked } from '../../../../src/host/parked.ts';
import { secretsOfProject } from '../../../../src/host/project-key.ts';
import { sealed } from '../../../../src/host/seal.ts';
import { clearPlaces, clearStateFiles, openState } from '../../../../src/host/state-places.ts';
import { readKeptStatus } from '../../../../src/mail/controller/kept-status.ts';
import { runFolders, runHolder } from '../../../../src/workflow/files/layout.ts';
import { listRuns, readRun } from '../../../../src/workflow/files/run-folders.ts';
import { run, type HostedMail } from '../../../mail/host/hosted-mail.ts';
import { begin, hostOf } from '../../../workflow/host/hosted-run.ts';
import { step, workflow } from '../../../workflow/files/samples.ts';
import { template } from '../../../workflow/machine/graph.ts';
import type { Kind } from '../../../../src/disk/disk.ts';
import { bounded, Finding, type Target } from '../target.ts';
import { readConfirmed } from '../../../../src/project/definition/confirmed.ts';

/*
 * Any JSON in any folder that a host reads and others may write: no host ends, and the mail and the run continue with the rest.
 */

const id = '01900000-0000-7000-8000-0000000000aa';
const definition = workflow(
  step('build', [], { kind: 'role', role: 'one', others: [], instructions: template('Build it.') }),
);
const runs = `.mailroom/runs/${run}`;
const context = '/w/context';

/** Where a document may lie, and a right one to begin with; it does nothing that would keep the rest from being done. */
const places: Readonly<Record<string, JsonObject>> = {
  '.mailroom/control/x.json': {
    id,
    at: 1,
    by: 'ada',
    verb: 'unpause',
    target: { kind: 'role', role: 'one' },
    now: false,
  },
  '.mailroom/incoming/step.json': {
    kind: 'step',
    id,
    run,
    role: 'nobody',
    subject: 'a',
    body: 'b',
    fields: { a: 1 },
    timeout: 5,
  },
  '.mailroom/incoming/notice.json': { kind: 'notice', id, run, role: 'ada', subject: 'a', body: 'b' },
  '.mailroom/incoming/withdrawal.json': { kind: 'withdrawal', id, run, step: id, by: 'ada' },
  '.mailroom/parked/agent': { until: 1 },
  '.mailroom/lock.json': { pid: 1, host: 'h', since: 1, triggers: false, startTime: null },
  '.mailroom/triggers/x.json': { workflow: 'w', memory: { going: null, triggers: {} } },
  [`${runs}/control/x.json`]: { id, at: 1, by: 'ada', verb: 'approve', path: 'nowhere' },
  [`${runs}/inbox/waits.json`]: {},
  [`${runs}/inbox/${id}.json`]: {
    id,
    run,
    outcome: { is: 'done' },
    text: 'a',
    values: {},
    usage: { usd: 1, tokens: 1 },
    durationMs: 1,
  },
  [`${runs}/run.json`]: {
    run,
    workflow: 'w',
    workspace: '/w',
    source: null,
    startedBy: 'person',
    person: 'ada',
    startedAt: 1,
  },
  [`${runs}/definition`]: { workflow: { name: 'w', body: { steps: [] } }, text: null },
  [contextHolderFile(context)]: { run, restored: true },
  [`${runs}/lock.json`]: { pid: 1, host: 'h', since: 1, triggers: false, startTime: null },
  [`${runs}/posted/${id}.json`]: {
    kind: 'step',
    id,
    run,
    role: 'one',
    subject: 'a',
    body: 'b',
    fields: {},
    timeout: 5,
  },
  '.mailroom/confirmed': {},
  '.mailroom/boot': {},
  '.mailroom/nostr.key': {},
  '.mailroom/journal/summary': { last: '', value: {} },
};

/** Files that count only with a seal: a program of the project may have written nonsense. */
const isSealed = /\/(control|incoming|inbox|posted|parked|confirmed)(\/|$)/;

/** A document with something else in one place, or something else altogether. */
function changed(document: JsonObject): fc.Arbitrary<Json> {
  const value = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
  const nasty = fc.constantFrom<Json>('../../x', '', '\0', '__proto__', -1, 1e300, null, [], {});
  const other = fc.oneof(value, nasty);
  const replaced = fc
    .tuple(fc.constantFrom(...Object.keys(document), 'more'), other)
    .map(([key, it]): Json => ({ ...document, [key]: it }));
  return fc.oneof({ weight: 4, arbitrary: replaced }, { weight: 1, arbitrary: other });
}

const planted = fc
  .constantFrom(...Object.entries(places))
  .chain(([path, document]) => fc.tuple(fc.constant(path), changed(document)));

function follow(project: HostedMail, begun: boolean): void {
  const host = hostOf(project, definition, begun);
  for (let round = 0; host.state.endedAt === null; round += 1) {
    if (round > 20) throw new Error('the run does not end');
    host.look();
    project.settle();
    project.now += 1_000;
  }
}

/** What is damaged may be refused, in words. */
function clearly(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof MailroomError) || error.code === 'E_INTERNAL') throw error;
  }
}

/** What a start of hosts does before they look, and all that is read besides. */
function start({ disk }: HostedMail): void {
  openState(disk);
  clearStateFiles(disk);
  clearPlaces(disk, 'folder', runFolders(run));
  clearPlaces(disk, 'file', [`${runHolder(run)}.json`, contextHolderFile(context)]);
  refuseBadMemories(disk);
  rememberedWorkflows(disk);
  readHolder(disk);
  readHolder(disk, runHolder(run));
  readBoot(disk);
  readKeptStatus(disk);
  readParked(disk);
  secretsOfProject(disk);
  readContextHolder(disk, context);
  readConfirmed(disk);
  listRuns(disk);
  clearly(() => readRun(disk, run));
}

function play(documents: readonly (readonly [string, Json])[]): void {
  const project = begin(definition);
  for (const [path, document] of documents) {
    const text = JSON.stringify(document);
    project.disk.write(path, isSealed.test(path) ? sealed(project.disk, path, text) : text);
  }
  start(project);
  finish(project, false);
}

/** The run ends, and the mail continues with the next controller. */
function finish(project: HostedMail, begun: boolean): void {
  project.settle();
  follow(project, begun);
  project.open();
  const task = project.send('one', { path: 'other', iteration: 1, attempt: 1, check: 0 });
  project.settle();
  if (!project.run.answers().some((each) => each.id === task && each.answer?.outcome.is === 'done'))
    throw new Error('the mail does not continue');
}

type Planted = readonly (readonly [path: string, kind: Kind])[];

const folders = [
  'tmp',
  'control',
  'incoming',
  'accepting',
  'held',
  'triggers',
  'parked',
  'contexts',
  'events',
  'events/relays',
].map((name) => `.mailroom/${name}`);
/** What a run is made of counts as lost with its card and its definition. */
const ofTheRun = ['run.json', 'definition'].map((name) => `${runs}/${name}`);
const somewhere = fc.constantFrom(
  ...folders,
  ...runFolders(run),
  ...Object.keys(places).filter((path) => !ofTheRun.includes(path)),
);
const kind = fc.constantFrom<Kind>('file', 'folder', 'link', 'fifo', 'socket', 'device');

/** Something of any kind in any place of the state, which was there at a start or comes while hosts work. */
function playKinds(others: Planted, early: boolean): void {
  const project = begin(definition);
  const plant = () => {
    for (const [path, each] of others)
      // Something else may already be in the place of its folder.
      clearly(() => {
        project.disk.remove(path);
        project.disk.plant(path, 'nowhere', each);
      });
  };
  if (early) plant();
  start(project);
  const host = hostOf(project, definition, false);
  if (!early) {
    host.look();
    project.host.look();
    plant();
    for (let round = 0; round < 3; round += 1) {
      host.look();
      project.host.look();
      project.now += 1_000;
    }
    host.stopAll();
    start(project);
    project.open();
  }
  finish(project, true);
}

function attempt(documents: readonly (readonly [string, Json])[]): void {
  try {
    bounded(() => play(documents));
  } catch (error) {
    throw new Finding(error instanceof Error ? (error.stack ?? error.message) : String(error), documents);
  }
}

function attemptKinds(others: Planted, early: boolean): void {
  try {
    bounded(() => playKinds(others, early));
  } catch (error) {
    throw new Finding(error instanceof Error ? (error.stack ?? error.message) : String(error), [
      planted,
      early,
    ]);
  }
}

/** Something of any kind in the place of anything that a host reads, and that is not the truth: no host ends. */
export const otherKinds: Target = {
  name: 'things of other kinds',
  everyday: 25,
  property: fc.property(
    fc.array(fc.tuple(somewhere, kind), { minLength: 1, maxLength: 4 }),
    fc.boolean(),
    attemptKinds,
  ),
  corpus: [
    { name: 'a file for the folder of drafts', run: () => attemptKinds([['.mailroom/tmp', 'file']], false) },
    { name: 'a pipe for the key', run: () => attemptKinds([['.mailroom/nostr.key', 'fifo']], true) },
    {
      name: 'a folder for a request that was sent',
      run: () => attemptKinds([[`${runs}/posted/${id}.json`, 'folder']], true),
    },
  ],
};

const incoming = '.mailroom/incoming/step.json';

export const letters: Target = {
  name: 'documents of other processes',
  everyday: 25,
  property: fc.property(fc.array(planted, { minLength: 1, maxLength: 4 }), attempt),
  corpus: [
    {
      name: 'a step whose id is a path',
      run: () => attempt([[incoming, { ...places[incoming], role: 'one', id: '../../../../x' }]]),
    },
    {
      name: 'a run of which nobody knows what it is',
      run: () => attempt([[`${runs}/run.json`, []]]),
    },
    {
      name: 'an answer without values',
      run: () => attempt([[`${runs}/inbox/${id}.json`, { run, outcome: { is: 'done' } }]]),
    },
  ],
};
