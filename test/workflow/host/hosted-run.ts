import { writeSealed } from '../../../src/host/seal.ts';
import { Control } from '../../../src/host/control.ts';
import { unmasked } from '../../../src/kernel/mask.ts';
import type { RunStart } from '../../../src/workflow/machine/event.ts';
import type { Workflow } from '../../../src/workflow/model.ts';
import { RunFiles } from '../../../src/workflow/files/run-files.ts';
import type { RunPorts } from '../../../src/workflow/host/ports.ts';
import { RunHost, type RunHostOptions } from '../../../src/workflow/host/run-host.ts';
import { createRun, runControlFolder } from '../../../src/workflow/files/run-folders.ts';
import { HostedMail, run } from '../../mail/host/hosted-mail.ts';
import { noGit } from './no-git.ts';
import { FolderDisk } from '../files/folder-disk.ts';
import { runJournal } from '../../support/run-journal.ts';

const nothing = () => {};
const unlimited = { usd: null, tokens: null };
const given: RunStart = {
  run,
  workflow: 'sample',
  version: '1',
  language: 'native',
  parameters: {},
  context: {},
  trigger: null,
  env: {},
  budget: unlimited,
  timeout: null,
  only: null,
  currency: null,
  checkpoint: null,
};

/** The files of the run, on the disk of its project. */
export function filesOf(
  { disk }: HostedMail,
  definition: Workflow,
): ConstructorParameters<typeof RunFiles>[0] {
  const open = (path: string) => {
    const folder = path.slice(disk.root.length + 1);
    return disk.look(folder)?.kind === 'folder' ? new FolderDisk(disk, folder) : null;
  };
  const folder = { run, definition, workspace: workspaceOf(disk.root) };
  return { project: disk, run: folder, open, mask: unmasked };
}

function workspaceOf(root: string): string {
  return `${root}/workspace`;
}

/** The host of the run, begun or resumed. Its processes do nothing by default. */
export function hostOf(
  project: HostedMail,
  definition: Workflow,
  begun: boolean,
  more: Partial<RunPorts> = {},
  watch: RunHostOptions['watch'] = nothing,
): RunHost {
  const host = openHost(project, definition, more, watch);
  if (begun) host.resume('person');
  else host.begin(given);
  return host;
}

/** The same, neither begun nor resumed. */
export function openHost(
  project: HostedMail,
  definition: Workflow,
  more: Partial<RunPorts> = {},
  watch: RunHostOptions['watch'] = nothing,
): RunHost {
  return new RunHost(
    {
      clock: { now: project.disk.now },
      journal: runJournal(project.disk, run),
      files: new RunFiles(filesOf(project, definition)),
      control: new Control(project.disk, runControlFolder(run)),
      runner: { start: nothing, stop: nothing, sweep: () => Promise.resolve() },
      mail: project.run,
      providers: new Map(),
      parking: { list: () => new Map<string, number>(), park: nothing },
      project: project.disk.root,
      changed: () => Promise.resolve([]),
      branch: () => 'none',
      git: noGit,
      uncommittedPatch: () => Promise.resolve(null),
      mask: unmasked,
      report: (act) => act(),
      variables: () => ({}),
      ...more,
    },
    definition,
    { slots: 2, watch },
  );
}

/** A project with the folder of a run. */
export function begin(definition: Workflow): HostedMail {
  const project = new HostedMail();
  const card = {
    run,
    workflow: 'sample',
    workspace: workspaceOf(project.disk.root),
    source: null,
    startedBy: 'person',
    person: null,
    startedAt: 0,
  } as const;
  project.disk.makeFolder('workspace');
  createRun(project.disk, card, definition);
  return project;
}

/** Leaves a command for the host of the run, by a rename as everybody does. */
export function command(project: HostedMail, id: string, verb: string, path = ''): void {
  const asked = { id, at: project.now, by: 'ada', verb, path, comment: null, instructions: null };
  writeSealed(project.disk, `${runControlFolder(run)}/${id}.json`, JSON.stringify(asked));
}
