import { writeSealed } from '../../../src/host/seal.ts';
import { Control } from '../../../src/host/control.ts';
import fc from '../../support/fast-check.ts';
import { it } from 'vitest';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { maskReport } from '../../../src/kernel/mask.ts';
import type { StepAnswer } from '../../../src/letters/letters.ts';
import type { Workflow } from '../../../src/workflow/model.ts';
import { RunHost } from '../../../src/workflow/host/run-host.ts';
import { bytesMasker, maskerFactory, maskOf } from '../../../src/process/output/mask.ts';
import type { Disk } from '../../../src/disk/disk.ts';
import { MemoryDisk } from '../../support/memory-disk.ts';
import { DiskRecords } from '../../../src/workflow/files/record-files.ts';
import { Records } from '../../../src/workflow/host/records.ts';
import type { Observing, RunPorts } from '../../../src/workflow/host/ports.ts';
import type { OpenRoot } from '../../../src/disk/roots.ts';
import type { RunFolder } from '../../../src/workflow/machine/run-folder.ts';
import { languages, runFormatOf } from '../../../src/languages/languages.ts';
import { RunFiles } from '../../../src/workflow/files/run-files.ts';
import { RunOutbox } from '../../../src/workflow/files/run-outbox.ts';
import { incomingFolder, runInbox } from '../../../src/host/run-mail.ts';
import { createRun, runControlFolder } from '../../../src/workflow/files/run-folders.ts';
import { exit } from '../../providers/samples.ts';
import { stage, swdl } from '../../docs/swdl-plays.ts';
import { FolderDisk } from '../files/folder-disk.ts';
import { anyValue, graph, step, template, workflow } from '../machine/graph.ts';
import { ofExtensions } from '../../support/of-extensions.ts';
import { orchestrate } from '../../languages/machine/orchestrate.ts';
import { expectMasked, filesIn, secret } from '../../mail/host/secret-documents.ts';
import type { Provider } from '../../../src/providers/provider.ts';
import type { ProcessJob } from '../../../src/host/runner/runner.ts';
import { runJournal } from '../../support/run-journal.ts';
import { noGit } from './no-git.ts';

/*
 * Any secret in any output: no document of ours changes its shape, and no strong secret is anywhere below the project.
 */

const run = '018f0000-0000-7000-8000-000000000001';
const note = { ...anyValue, type: 'string' } as const;
const any = { ...anyValue, type: 'any' } as const;

/** Workflows of two roles whose answers are `one` and `two`. */
const added = await ofExtensions<{ readonly twoSteps: Workflow }>('two-steps.ts');

const definitions: Readonly<Record<string, Workflow>> = {
  native: workflow({
    ...graph('a\nb <- a : check=2'),
    steps: [
      step('a', {
        work: { kind: 'command', argv: [template('say')], capabilities: null } as never,
        values: { note, data: any },
      }),
      ...graph('b : check=2 go-on').steps,
    ],
  }),
  orchestrate: orchestrate([
    {
      name: 'One',
      command: ['say'],
      output_file: 'one.txt',
      on: { success: { goto: 'Two' }, failure: { goto: 'Two' } },
    },
    {
      name: 'Two',
      command: ['say', '${steps.One.output}'],
      on: { success: { goto: '_end' }, failure: { error: 'no' } },
    },
  ]),
  swdl: swdl([
    stage('one', { outputs: { note: { type: 'string' }, data: { type: 'object' } } }),
    stage('two', { depends_on: ['one'] }),
  ]),
  ...Object.fromEntries([...added].map(([name, { twoSteps }]) => [name, twoSteps])),
};

/** What every worker says. */
interface Said {
  readonly text: string;
  /** Where what it prints is cut on its way. */
  readonly cut: number;
  readonly values: JsonObject;
  readonly code: number;
}

const provider: Provider = {
  name: 'claude',
  sessions: false,
  mcp: true,
  notEnforced: [],
  restrict: () => ({ exact: true, broaderThanRequested: [] }),
  start: ({ env }) => ({ argv: ['claude'], env, inherit: [], stdin: '', files: {}, writable: [] }),
  read: ({ stdout, code }) => {
    const usage = { usd: 1, tokens: 123_456 };
    const { text } = JSON.parse(stdout) as { text: string };
    if (code !== 0) return { is: 'never', reason: { code: 'E_PROVIDER', text }, usage, session: null };
    return { is: 'done', text, session: { id: 's-1', usd: 1, tokens: 1 }, usage, model: 'opus', denials: [] };
  },
};

/** What the mail does: every step that was posted is answered. What it was sent it takes. */
function answerAll(project: Disk, mail: RunOutbox, { text, values, code }: Said): void {
  const reason = { code: 'E_STEP', text } as const;
  const outcome: StepAnswer['outcome'] =
    code === 0 ? { is: 'done' } : { is: 'failed', class: 'NON_RETRYABLE', reason, timedOut: false };
  const rest = { values, work: null, usage: { usd: 0, tokens: 123_456 }, durationMs: 5 };
  for (const id of mail.posted()) {
    const answer: StepAnswer = { id, run, outcome, text, ...rest };
    writeSealed(project, `${runInbox(run)}/${id}.json`, JSON.stringify(answer));
  }
  for (const name of project.list(incomingFolder) ?? []) project.remove(`${incomingFolder}/${name}`);
}

/** What the language of a run shows of it. */
function shownBy(project: Disk, open: OpenRoot, of: RunFolder): Pick<RunPorts, 'document' | 'observers'> {
  const { records, document } = runFormatOf(of.definition, languages);
  const observing: Observing[] =
    records === undefined
      ? []
      : [(rules, guard) => new Records(new DiskRecords(project, open, of, records), records, rules, guard)];
  return { observers: observing, ...(document && { document }) };
}

const somebody = { startedBy: 'person', person: null } as const;

const outsideGit = {
  changed: () => Promise.resolve([]),
  branch: () => 'none' as const,
  git: noGit,
  uncommittedPatch: () => Promise.resolve(null),
};

/** Every file below the project after a run whose workers say this. */
function played(definition: Workflow, secrets: readonly string[], said: Said): Map<string, string> {
  let now = Date.UTC(2026, 0, 1);
  const disk = new MemoryDisk(() => now, '/world');
  for (const folder of ['base', 'base/workspace']) disk.plant(folder, '', 'folder');
  const project = new FolderDisk(disk, 'base');
  const open = (path: string): Disk | null => {
    const folder = path.slice('/world/'.length);
    return disk.look(folder)?.kind === 'folder' ? new FolderDisk(disk, folder) : null;
  };
  const mask = maskOf(secrets);
  const place = { workspace: '/world/base/workspace', source: null };
  const card = { run, workflow: 'w', ...place, ...somebody, startedAt: now };
  const folder = createRun(project, card, definition);
  const jobs: ProcessJob[] = [];
  const mail = new RunOutbox(project, run);
  const host = new RunHost(
    {
      clock: { now: () => now, elapsed: () => now },
      journal: runJournal(project, run),
      files: new RunFiles({ project, open, run: folder, mask }),
      control: new Control(project, runControlFolder(run)),
      runner: { start: (job) => void jobs.push(job), stop: () => {}, sweep: () => Promise.resolve() },
      mail,
      providers: new Map([['claude', provider]]),
      parking: { list: () => new Map<string, number>(), park: () => {} },
      project: project.root,
      ...shownBy(project, open, folder),
      ...outsideGit,
      mask,
      report: (act) => act(),
      variables: () => ({}),
    },
    definition,
    { slots: 1, watch: () => {} },
  );
  const { name, version, language, budget } = definition;
  const given = {
    run,
    workflow: name,
    version,
    language,
    parameters: {},
    context: {},
    trigger: null,
    env: {},
  };
  host.begin({ ...given, budget, timeout: null, only: null, currency: null, checkpoint: null });
  for (let round = 0; host.state.endedAt === null; round += 1) {
    if (round > 200) throw new Error('the run does not end');
    host.look();
    now += 1_000;
    answerAll(project, mail, said);
    for (const job of jobs.splice(0)) host.ended(job.key, worked(disk, job, secrets, said));
  }
  host.look();
  host.flush();
  return filesIn(disk, 'base');
}

/** A process as the runner makes one: files masked, the report of an agent as it is read. */
function worked(disk: Disk, job: ProcessJob, secrets: readonly string[], { text, cut, values, code }: Said) {
  const printed = Buffer.from(
    job.provider === null ? text : JSON.stringify({ type: 'result', n: 123_456, text }),
  );
  const at = cut % (printed.length + 1);
  const masker = maskerFactory(secrets)();
  const pieces = [printed.subarray(0, at), printed.subarray(at)].map((piece) => masker.push(piece));
  const masked = Buffer.concat([...pieces, masker.flush()]);
  const place = (path: string) => path.slice('/world/'.length);
  disk.write(place(job.stdout), masked);
  disk.write(place(job.stderr), bytesMasker(secrets)(Buffer.from(text)));
  disk.write(`${place(job.folder)}/values.json`, JSON.stringify(values));
  const stdout = job.provider === null ? masked.toString() : maskReport(printed.toString(), maskOf(secrets));
  return exit({ code, stdout, stderr: maskOf(secrets).text(text) });
}

it.each(Object.keys(definitions))(
  'a secret changes no document of a run and leaks into none: %s',
  (language) => {
    const definition = definitions[language]!;
    const property = fc.property(
      fc.array(secret, { minLength: 1, maxLength: 3 }),
      fc.record({
        before: fc.string(),
        after: fc.string(),
        cut: fc.nat(400),
        code: fc.constantFrom(0, 0, 1, 2),
      }),
      (secrets, { before, after, cut, code }) => {
        const text = secrets.map((each) => `${before}${each}${after}`).join(' and ');
        const values = {
          note: text,
          data: { [`key ${secrets[0]!}`]: [text, 123_456, null] },
          ...(added.has(language) && { one: text, two: text }),
        };
        const said = { text, cut, values, code };
        const plain = played(definition, [], said);
        const masked = played(definition, secrets, said);
        expectMasked(secrets, masked, plain);
      },
    );
    fc.assert(property, { numRuns: 60 });
  },
);
