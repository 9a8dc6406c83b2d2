// The real program, with something between it and the system that kills it where it is told to.
import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import { hideProcesses, watchFiles } from './files.ts';
import { Killer } from './killer.ts';
import type { Order } from './order.ts';
import { watchProcesses } from './processes.ts';

const order = JSON.parse(process.env['MAILROOM_KILL_MATRIX'] ?? '{}') as Order;
delete process.env['MAILROOM_KILL_MATRIX'];
const killer = new Killer(order);
watchFiles(killer);
watchProcesses(killer);
if (order.leftOut === 'sweep') hideProcesses(killer);
syncBuiltinESMExports();
process.once('exit', () => killer.ended());
const { main } = (await import(order.app)) as {
  main: (argv: readonly string[], packageRoot: string) => Promise<number>;
};
process.exitCode = await main(process.argv.slice(2), order.packageRoot);
