import metadata from '../../../package.json' with { type: 'json' };
import type { ApiKey } from '../../project/api.ts';
import { portOf } from '../../server/http/port.ts';
import type { Served } from '../../server/http/serve.ts';
import type { Context } from '../context.ts';
import { caller } from '../control.ts';
import { untilEnd } from '../until-end.ts';

interface ServeOptions {
  readonly port?: string;
  readonly open?: boolean;
  readonly whileInput?: boolean;
}

const words = { stopping: 'Stopping', atOnce: 'ended at once' };

/** Serves until Ctrl-C. Ends no run: it only reads files and writes commands. */
export async function serve(context: Context, options: ServeOptions): Promise<number> {
  context.outsideTurn('serve');
  const port = portOf(options.port);
  const project = context.project();
  context.announce();
  const { terminal } = context;
  const api = await project.api(caller(context));
  const { listen } = await import('../../server/http/serve.ts');
  const about = { project, api, version: metadata.version, now: terminal.now };
  const complain = (error: unknown): void => terminal.complain(`${String(error)}\n`);
  const served = await listen(about, context.addedRoutes, port, complain);
  const silent = { say: () => {}, close: () => Promise.resolve() };
  const stop = new AbortController();
  const end = (): void => stop.abort();
  if (options.whileInput === true) void terminal.readInput().then(end, end);
  const stopped = new Promise((resolve) => stop.signal.addEventListener('abort', resolve));
  // A program that reads the address may stop the server immediately.
  const ending = untilEnd(terminal, silent, { ...words, end }, () => stopped);
  try {
    const address = addressOf(served, api.keys());
    terminal.write(`${address}\n`);
    if (options.open === true) api.open(address);
    if (served.socket === null)
      terminal.complain('no Unix socket: its path would be longer than 107 bytes\n');
    await ending;
  } finally {
    end();
    await served.close();
  }
  return 0;
}

/** The address of the page, with a key that may write, if there is one. */
function addressOf({ port }: Served, keys: readonly ApiKey[]): string {
  const { key } = keys.find(({ access }) => access === 'write') ?? keys[0]!;
  return `http://127.0.0.1:${String(port)}/#key=${key}`;
}
