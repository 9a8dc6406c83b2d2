import { serveWorkflows } from '../server/workflow-tools.ts';
import type { RunController } from './run-services.ts';
import type { ProjectServices } from './services.ts';

/**
 * Serves the tools by which an agent of a person defines and runs workflows, until standard input ends. A run that still
 * goes on then is stopped in good order, and can be resumed.
 */
export async function serveDesk(project: ProjectServices, version: string): Promise<void> {
  const { workflows } = project;
  const nip = await project.nip();
  const going = new Map<RunController, Promise<void>>();
  await serveWorkflows({
    version,
    define: (definition) => nip.define(definition),
    execute: async ({ workflowId, inputs, budget, timeout, async: isAsync }) => {
      const asked = { inputs, msats: budget, timeout: timeout === null ? null : timeout * 1_000 };
      const begin = await nip.prepare({ ...asked, workflow: workflowId });
      const run = await workflows.begin({ ...begin, watch: () => {} });
      const over = run.follow().finally(() => going.delete(run));
      // What goes wrong in it is in its journal, for whoever asks.
      going.set(
        run,
        over.catch(() => {}),
      );
      if (!isAsync) await over;
      return await nip.report(run.run);
    },
    status: (execution) => nip.status(execution),
  });
  for (const run of going.keys()) run.end('stop');
  await Promise.all(going.values());
}
