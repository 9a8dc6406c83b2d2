import type { Protocol } from '../../../mail/format/protocol.ts';
import { currentDefinition } from './definitions.ts';
import type { WorkflowList } from './documents.ts';
import { tagOf, type NostrEvent } from '../letters/nostr-event.ts';

/**
 * Of several definitions with one id, lists only the current one. `protocol` null: there are no
 * roles.
 */
export function workflowList(definitions: readonly NostrEvent[], protocol: Protocol | null): WorkflowList {
  const ids = new Set(definitions.flatMap((event) => tagOf(event, 'd') ?? []));
  const roles = [...(protocol?.roles.values() ?? [])];
  return {
    workflows: [...ids].map((id) => summaryOf(currentDefinition(definitions, id)!)),
    kinds: ascending(roles.flatMap(({ kinds = [] }) => kinds)).map((kind) => ({
      kind,
      roles: roles.flatMap(({ name, kinds = [] }) => (kinds.includes(kind) ? name : [])),
    })),
  };
}

function summaryOf(event: NostrEvent): WorkflowList['workflows'][number] {
  const { id, tags, content } = event;
  const all = (wanted: string) => tags.filter(([name]) => name === wanted);
  const workflowId = tagOf(event, 'd') ?? '';
  return {
    workflowId,
    eventId: id,
    name: tagOf(event, 'name') ?? workflowId,
    version: tagOf(event, 'version') ?? '1.0.0',
    description: content,
    inputs: all('input').map(([, name = '', type = '', required]) => ({
      name,
      type,
      required: required === 'true',
    })),
    kinds: ascending(all('step').map(([, , kind]) => Number(kind))),
  };
}

function ascending(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].toSorted((a, b) => a - b);
}
