import { CommandLine } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { past } from '../state/past.ts';
import { link } from '../state/route.ts';
import type { RunSummary } from '../../documents/runs.ts';
import type { Overview } from '../../documents/status.ts';

/** What a person can do with a project in which nothing has happened yet; then nothing. */
export function FirstSteps() {
  const status = useLive<Overview>('/status').value.value;
  if (past.value !== null || status === null || status.begun !== null || status.recorded > 0) return null;
  return <WithoutMail isWorking={status.controller !== null} />;
}

function WithoutMail({ isWorking }: { readonly isWorking: boolean }) {
  const runs = useLive<readonly RunSummary[]>('/workflow-runs?limit=1').value.value;
  if (runs?.length !== 0) return null;
  return (
    <section class="panel first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">Begin here</h2>
      <p>Nothing has happened in this project yet.</p>
      {!isWorking && (
        <>
          <p>Start the team. What you send before that waits for it.</p>
          <CommandLine value="mailroom up" />
        </>
      )}
      <div class="actions">
        <a class="button primary" href={link('send')}>
          Send a task
        </a>
        <a class="button" href={link('workflows')}>
          Start a workflow
        </a>
        <a class="button" href="/docs/tutorial.md" target="_blank" rel="noreferrer">
          Open the tutorial
        </a>
      </div>
    </section>
  );
}
