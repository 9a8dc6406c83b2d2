import { expect, it } from 'vitest';
import { verdictIn } from '../../../src/workflow/machine/commands.ts';
import { listJournal, segmentName } from '../../../src/disk/journal-files.ts';
import { runReader } from '../../../src/workflow/files/run-folders.ts';
import { step, workflow } from '../files/samples.ts';
import { usualChoices } from '../../../src/workflow/reserved.ts';
import { template } from '../machine/graph.ts';
import { run, type Desk } from '../../mail/host/desk.ts';
import { begin, command, hostOf } from './run-desk.ts';
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
function asked(verb: string): Desk {
  const desk = begin(definition);
  hostOf(desk, definition, false).look();
  command(desk, 'c', verb, verb === 'cancel' ? '' : 'ship');
  return desk;
}

function journal(desk: Desk): { path: string; bytes: Buffer } {
  const folder = `${runFolder(run)}/journal`;
  const path = `${folder}/${segmentName(listJournal(desk.disk, folder).segments.at(-1) ?? 0)}`;
  return { path, bytes: desk.disk.read(path, Infinity) ?? Buffer.alloc(0) };
}

/** Behind each record from a byte on, and in the middle of it. */
function tears(bytes: Buffer, from: number): number[] {
  const found = [from];
  for (let end = bytes.indexOf('\n', from) + 1; end > 0; end = bytes.indexOf('\n', end) + 1)
    found.push(end - 20, end);
  return found;
}

function verdicts(desk: Desk): (string | null)[] {
  const found = runReader(desk.disk, run)
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
      const desk = asked(verb);
      desk.disk.write(journal(desk).path, bytes.subarray(0, length));
      hostOf(desk, definition, true).look();
      const ended = { length, verdicts: verdicts(desk), left: desk.disk.list(`${runFolder(run)}/control`) };
      expect(ended).toEqual({ length, verdicts: [null], left: [] });
    }
  },
);

it('refuses at a resume what came too late for the run that had ended', () => {
  const desk = begin(definition);
  const before = hostOf(desk, definition, false);
  before.look();
  command(desk, 'no', 'reject', 'ship');
  before.look();
  expect(before.state.status).toBe('FAILED');
  command(desk, 'c', 'cancel');
  const after = hostOf(desk, definition, true);
  after.look();
  expect(verdicts(desk)).toEqual(['the run is over: FAILED']);
  expect(after.state.status).toBe('RUNNING');
  expect(desk.disk.list(`${runFolder(run)}/control`)).toEqual([]);
});
