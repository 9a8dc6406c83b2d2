import { expect, it } from 'vitest';
import { verdictIn } from '../../../src/workflow/machine/commands.ts';
import { listJournal, segmentName } from '../../../src/disk/journal-files.ts';
import { runReader } from '../../../src/workflow/files/run-folders.ts';
import { step, workflow } from '../files/samples.ts';
import { usualChoices } from '../../../src/workflow/reserved.ts';
import { template } from '../machine/graph.ts';
import { run, type HostedMail } from '../../mail/host/hosted-mail.ts';
import { begin, command, hostOf } from './hosted-run.ts';
import { runFolder } from '../../../src/host/run-mail.ts';

const gate = {
  kind: 'gate',
  approvers: [],
  choices: usualChoices,
  fields: {},
  timeout: null,
  onTimeout: 'abort',
} as const;
const definition = workflow(step('ship', [], { ...gate, message: template('Ship it?') }));

/** A waiting gate, and a command for its run that the host has not seen. */
function asked(verb: string): HostedMail {
  const project = begin(definition);
  hostOf(project, definition, false).look();
  command(project, 'c', verb, verb === 'cancel' ? '' : 'ship');
  return project;
}

function journal(project: HostedMail): { path: string; bytes: Buffer } {
  const folder = `${runFolder(run)}/journal`;
  const path = `${folder}/${segmentName(listJournal(project.disk, folder).segments.at(-1) ?? 0)}`;
  return { path, bytes: project.disk.read(path, Infinity) ?? Buffer.alloc(0) };
}

/** Behind each record from a byte on, and in the middle of it. */
function tears(bytes: Buffer, from: number): number[] {
  const found = [from];
  for (let end = bytes.indexOf('\n', from) + 1; end > 0; end = bytes.indexOf('\n', end) + 1)
    found.push(end - 20, end);
  return found;
}

function verdicts(project: HostedMail): (string | null)[] {
  const found = runReader(project.disk, run)
    .read()
    .records.flatMap(({ event }) => verdictIn(event) ?? []);
  return found.filter(({ id }) => id === 'c').map(({ refusal }) => refusal?.text ?? null);
}

it.each(['approve', 'reject', 'cancel'])(
  'follows %s once and never calls it refused, wherever the journal was torn',
  (verb) => {
    const before = journal(asked(verb)).bytes.length;
    const whole = asked(verb);
    hostOf(whole, definition, true).look();
    const { bytes } = journal(whole);
    for (const length of tears(bytes, before)) {
      const project = asked(verb);
      project.disk.write(journal(project).path, bytes.subarray(0, length));
      hostOf(project, definition, true).look();
      const ended = {
        length,
        verdicts: verdicts(project),
        left: project.disk.list(`${runFolder(run)}/control`),
      };
      expect(ended).toEqual({ length, verdicts: [null], left: [] });
    }
  },
);

it('refuses at a resume what came too late for the run that had ended', () => {
  const project = begin(definition);
  const before = hostOf(project, definition, false);
  before.look();
  command(project, 'no', 'reject', 'ship');
  before.look();
  expect(before.state.status).toBe('FAILED');
  command(project, 'c', 'cancel');
  const after = hostOf(project, definition, true);
  after.look();
  expect(verdicts(project)).toEqual(['the run is over: FAILED']);
  expect(after.state.status).toBe('RUNNING');
  expect(project.disk.list(`${runFolder(run)}/control`)).toEqual([]);
});
