/*
 * Events of the language nip, as Nostr has them. What is signed is the text of all but `id` and `sig`.
 */

export const kinds = { definition: 30_920, request: 5_920, result: 6_920, status: 7_920 } as const;

/** What is to be signed. */
export interface EventTemplate {
  readonly kind: number;
  /** Seconds since 1970. */
  readonly created_at: number;
  readonly tags: readonly (readonly string[])[];
  readonly content: string;
}

export interface NostrEvent extends EventTemplate {
  readonly id: string;
  readonly pubkey: string;
  readonly sig: string;
}

/** The word of a tag; null: there is no such tag. `marker`: the last word of it. */
export function tagOf({ tags }: Pick<EventTemplate, 'tags'>, name: string, marker?: string): string | null {
  const found = tags.find((tag) => tag[0] === name && (marker === undefined || tag[3] === marker));
  return found?.[1] ?? null;
}

/** Whether two say the same, whenever that was. */
export function isSame(a: EventTemplate, b: EventTemplate): boolean {
  return a.kind === b.kind && a.content === b.content && JSON.stringify(a.tags) === JSON.stringify(b.tags);
}
