import { expect, it } from 'vitest';
import type { Launch } from '../../../src/workflow/machine/launch.ts';
import { readWork } from '../../../src/workflow/machine/outcome.ts';
import { agent, collected, exited, launch, said } from './ends.ts';
import { anyValue } from './graph.ts';

it('names the last block of JSON of an agent whose values are missing, if it cannot be read', () => {
  const values = { ok: { ...anyValue, required: true } };
  const reasonOf = (of: Launch, text: string) =>
    readWork({ ...of, values }, { exit: exited(0), outcome: said(text), collected }).outcome;
  const block = '```json\n{"ok": true,}\n```\n';
  const problem = 'it is not JSON: line 1, column 13: expected no comma before `}`: {"ok": true,}';
  const missing = 'what it handed over does not fit: `ok` is missing';
  expect(reasonOf(agent, block)).toMatchObject({
    reason: { text: `${missing}; its last block of JSON: ${problem}` },
  });
  expect(reasonOf(agent, '```json\n{"other": true}\n```\n')).toMatchObject({ reason: { text: missing } });
  expect(reasonOf(agent, 'No block.')).toMatchObject({ reason: { text: missing } });
});

const log = { name: 'log', path: 'log.txt', type: null, required: false };

it('outputs that are something else than a file or folder are named as such', () => {
  const pipe = { ...log, found: 'a fifo (named pipe)' };
  const read = (missing: readonly (typeof pipe)[]) =>
    readWork(launch, { exit: exited(0), outcome: null, collected: { ...collected, missing } });
  expect(read([pipe]).warnings).toEqual([
    'the output `log` is not there: log.txt is a fifo (named pipe), not a file or folder',
  ]);
  expect(read([{ ...pipe, required: true }]).outcome).toMatchObject({
    reason: {
      text: 'required outputs are not there: `log` (log.txt is a fifo (named pipe), not a file or folder)',
    },
  });
});
