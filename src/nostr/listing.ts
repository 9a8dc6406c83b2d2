import type { Protocol } from '../mail/format/protocol.ts';
import { currentDefinition } from './definitions.ts';
import { tagOf, type NostrEvent } from '../letters/nostr-event.ts';

/** What a caller needs to run a definition. */
interface DefinitionSummary {
  /** The tag `d`. */
  readonly workflowId: string;
  readonly eventId: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly inputs: readonly { readonly name: string; readonly type: string; readonly required: boolean }[];
  /** The task kinds of its steps, each once, ascending. */
  readonly kinds: readonly number[];
}

/** Definitions that can be run by their ids, and the task kinds that the project's roles do. */
export interface WorkflowList {
  readonly workflows: readonly DefinitionSummary[];
  readonly kinds: readonly { readonly kind: number; readonly roles: readonly string[] }[];
}

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

function summaryOf(event: NostrEvent): DefinitionSummary {
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
