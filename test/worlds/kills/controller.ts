import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { forgetRecords, hideProcesses, watchFiles } from './files.ts';
import { Killer } from './killer.ts';
import { classify as ofMail } from './mail/classify.ts';
import type { Classify } from './operation.ts';
import type { Order, Subject } from './order.ts';
import { watchProcesses } from './processes.ts';
import { watchSockets } from './sockets.ts';
import { classify as ofRuns } from './runs/classify.ts';

const tables: Readonly<Record<Subject, Classify>> = { mail: ofMail, runs: ofRuns };

/** The real program, with something between it and the system that kills it where it is told to. */
async function runKilled(): Promise<void> {
  const order = JSON.parse(process.env['MAILROOM_KILL_MATRIX'] ?? '{}') as Order;
  delete process.env['MAILROOM_KILL_MATRIX'];
  const killer = new Killer(order, tables[order.subject]);
  if (order.leftOut === 'memory') forgetRecords(order.root);
  watchFiles(killer);
  watchProcesses(killer);
  watchSockets(killer);
  if (order.leftOut === 'sweep') hideProcesses(killer);
  syncBuiltinESMExports();
  process.once('exit', () => killer.ended());
  // As `bin/mailroom` does it, only later: what is loaded from here on meets the killer.
  const { loadProgram } = (await import(join(order.packageRoot, 'bin', 'program.cjs'))) as {
    loadProgram: (
      file: string,
      argv: readonly string[],
    ) => {
      main: (argv: readonly string[], packageRoot: string) => Promise<number>;
    };
  };
  const argv = process.argv.slice(2);
  process.exitCode = await loadProgram(order.app, argv).main(argv, order.packageRoot);
}

await runKilled();
