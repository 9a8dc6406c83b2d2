/* Events of the language nip, as in Nostr. The signature covers everything but `id` and `sig`. */

export const kinds = { definition: 30_920, request: 5_920, result: 6_920, status: 7_920 } as const;

/** An event before signing. */
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

/** The value of a tag; null: there is no such tag. `marker`: the tag's last element. */
export function tagOf({ tags }: Pick<EventTemplate, 'tags'>, name: string, marker?: string): string | null {
  const found = tags.find((tag) => tag[0] === name && (marker === undefined || tag[3] === marker));
  return found?.[1] ?? null;
}

/** Whether two events say the same, ignoring their times. */
export function isSame(a: EventTemplate, b: EventTemplate): boolean {
  return a.kind === b.kind && a.content === b.content && JSON.stringify(a.tags) === JSON.stringify(b.tags);
}
