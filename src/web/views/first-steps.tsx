import type { ComponentChildren } from 'preact';
import { CommandLine } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { past } from '../state/past.ts';
import { link } from '../state/route.ts';
import type { RunSummary } from '../../documents/runs.ts';
import type { Overview } from '../../documents/status.ts';

interface Props {
  /** What is shown where something has happened. */
  readonly otherwise: ComponentChildren;
}

/** What a person can do with a project in which nothing has happened yet. */
export function FirstSteps({ otherwise }: Props) {
  const status = useLive<Overview>('/status').value.value;
  if (past.value !== null || status === null || status.begun !== null || status.recorded > 0)
    return otherwise;
  return <WithoutMail isWorking={status.controller !== null} otherwise={otherwise} />;
}

function WithoutMail({ isWorking, otherwise }: { readonly isWorking: boolean } & Props) {
  const runs = useLive<readonly RunSummary[]>('/workflow-runs?limit=1').value.value;
  if (runs?.length !== 0) return otherwise;
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
