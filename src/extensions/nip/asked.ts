import { join } from 'node:path';
import type { AskedWorkflow } from '../../project/definition/contracts.ts';
import { MailroomError } from '../../kernel/errors.ts';
import type { NostrEvent } from './letters/nostr-event.ts';
import { checkInputs, isReplayed, readAsked, type AskedRun } from './nostr/request.ts';
import { ProblemsError } from '../../project/definition/problems.ts';
import { readEvent } from './letters/read.ts';
import { definitionFile, definitionLog, EventLog } from './nostr/event-log.ts';
import type { Disk } from '../../disk/disk.ts';
import { readText } from '../../disk/text.ts';
import type { WorkflowReader } from '../../project/definition/hooks.ts';
import { followedRequests, runRequest } from './executions.ts';

/** Reads an untrusted request for a run. Null: the file is not a request. Throws `E_FORBIDDEN`. */
export async function readAskedWorkflow(
  disk: Disk,
  reader: () => Promise<WorkflowReader>,
  file: string,
): Promise<AskedWorkflow | null> {
  const request = requestIn(readText(file) ?? '');
  return request === null ? null : judgeRequest(disk, await reader(), request);
}

/**
 * The run of a request that is allowed. Throws `E_FORBIDDEN` with the reason, or the problems of
 * its workflow.
 */
export async function judgeRequest(
  disk: Disk,
  reader: WorkflowReader,
  request: NostrEvent,
): Promise<AskedWorkflow> {
  const { isAuthentic } = await import('./nostr/signer.ts');
  if (!(await isAuthentic(request))) refuse('its signature is not that of its text and its author');
  const { nip } = reader.config;
  const asked = readAsked(request, nip.maxBudget);
  if (!asked.ok) return refuse(asked.problem);
  if (isReplayed(request, followedRequests(disk))) refuse('it was followed before');
  const workflow = await reader.workflow(definitionOf(disk, asked.value));
  if (!workflow.checked.ok) throw new ProblemsError(workflow.checked.problems);
  const definition = workflow.checked.value;
  const { values, problems } = checkInputs(asked.value, definition.parameters);
  if (problems.length > 0) refuse(problems.join('; '));
  const { msats, timeout } = asked.value;
  return {
    workflow,
    definition: { ...definition, timeout: timeout ?? definition.timeout },
    parameters: values,
    budget: { ...definition.budget, ...(msats === null ? {} : { units: msats }) },
    request: runRequest(disk, request),
  };
}

/** An event intended as a request, recognised by its kind, or by the workflow it asks for. */
function requestIn(text: string): NostrEvent | null {
  if (!/"kind"\s*:\s*5920\b/.test(text)) return null;
  const event = readEvent(text);
  return event.ok ? event.value : refuse(`it is not a signed event: ${event.problem}`);
}

/** The file of the definition that a request names. */
function definitionOf(disk: Disk, { definition }: AskedRun): string {
  const known = new EventLog(disk, definitionLog).read().find(({ id }) => id === definition);
  if (known === undefined)
    return refuse(
      `nothing is known of the workflow ${definition}: a definition is known once it was run here`,
    );
  return join(disk.root, definitionFile(disk, known));
}

function refuse(reason: string): never {
  throw new MailroomError('E_FORBIDDEN', `the request is refused: ${reason}`);
}
