import { resolve } from 'node:path';
import type { Context } from '../context.ts';
import { expectDefinition, startRun, type StartOptions } from '../run-start.ts';

/** Milliseconds between two looks at the files. */
const lookEvery = 500;

/** Ends with Ctrl-C, by the exit code of the last run. What a run itself changes starts no other. */
export async function watch(context: Context, reference: string, options: StartOptions): Promise<number> {
  const { services, terminal } = context;
  const { workflows, root } = context.place();
  const workspace = options.workspace === undefined ? root : resolve(services.cwd, options.workspace);
  const found = await workflows.read(reference, services.cwd);
  const { contextDir } = expectDefinition(found);
  const changes = () => workflows.watchFiles(workspace, contextDir ?? '.mailroom');
  const end = new AbortController();
  const forget = terminal.onSignal(() => end.abort());
  for (;;) {
    const code = await startRun(context, reference, options);
    const look = changes();
    let change = look();
    terminal.complain('waiting for a change; Ctrl-C ends\n');
    while (change === null && !end.signal.aborted) {
      await pause(terminal, lookEvery);
      change = look();
    }
    if (change === null) {
      forget();
      return code;
    }
    terminal.complain(`${change.path} was ${change.what}\n`);
  }
}

function pause(terminal: Context['terminal'], milliseconds: number): Promise<void> {
  return new Promise((over) => {
    const forget = terminal.every(milliseconds, () => {
      forget();
      over();
    });
  });
}
