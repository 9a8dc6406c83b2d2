import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { rollbackWarnings } from '../../../src/workflow/machine/rollback.ts';
import type { RunHost } from '../../../src/workflow/host/run-host.ts';
import { openRunLedger } from '../../../src/workflow/host/ledger.ts';
import { RunFiles } from '../../../src/workflow/files/run-files.ts';
import { step, workflow } from '../machine/graph.ts';
import { World } from '../machine/world.ts';
import { run } from '../../mail/host/hosted-mail.ts';
import { begin, filesOf, openHost } from './hosted-run.ts';
import { runJournal } from '../../support/run-journal.ts';

/*
 * A run that has ended by a step that undoes it, and hosts that come after one that died meanwhile.
 */

const definition = workflow({ kind: 'graph', steps: [step('a', { onFailure: 'rollback' })] });

const edited = workflow({ kind: 'graph', steps: [step('a')] });

/** The journal of the run has its end, and nothing behind that. */
function died() {
  const world = new World(definition, { given: { run, checkpoint: 'tree' } });
  world.fails('a');
  const project = begin(definition);
  const ledger = openRunLedger(runJournal(project.disk, run), { now: project.disk.now });
  ledger.record(world.history);
  ledger.flush();
  const asked: string[] = [];
  const shown: unknown[] = [];
  class Watched extends RunFiles {
    override summary(document: JsonObject): void {
      shown.push(document['status']);
      super.summary(document);
    }
  }
  const open = (problem: string | null = null, by = definition) =>
    openHost(project, by, {
      files: new Watched(filesOf(project, by)),
      rollBack: (tree) => Promise.resolve({ files: asked.push(tree), problem }),
    });
  return { open, asked, shown };
}

async function settle(host: RunHost): Promise<void> {
  host.look();
  await host.finished();
  host.look();
  host.flush();
}

it('is put back by the next host, once', async () => {
  const { open, asked, shown } = died();
  const next = open();
  expect(next.finish()).toBe(true);
  await settle(next);
  expect([next.idle(), next.state.status, next.state.rollback]).toEqual([
    'done',
    'FAILED',
    { over: true, files: 1, problem: null },
  ]);
  shown.length = 0;
  expect(open().finish()).toBe(false);
  expect([asked, shown]).toEqual([['tree'], ['FAILED']]);
});

it('is put back by the next host although an edited definition would undo nothing: half of it may be undone', async () => {
  const { open, asked } = died();
  open(null, edited).look();
  expect(asked).toEqual([]);
  open().look();
  const next = open(null, edited);
  expect(next.finish()).toBe(true);
  await settle(next);
  expect([asked, next.state.rollback]).toEqual([['tree', 'tree'], { over: true, files: 2, problem: null }]);
  expect(open(null, edited).finish()).toBe(false);
});

it('is put back by the next host if that was not possible', async () => {
  const { open, asked } = died();
  const full = open('the disk is full');
  await settle(full);
  expect(rollbackWarnings(full.state)).toEqual(['it is not rolled back: the disk is full']);
  const next = open();
  expect(next.finish()).toBe(true);
  expect(rollbackWarnings(next.state)).toEqual([expect.stringContaining('not finished')]);
  await settle(next);
  expect([asked, next.state.rollback]).toEqual([['tree', 'tree'], { over: true, files: 2, problem: null }]);
});
