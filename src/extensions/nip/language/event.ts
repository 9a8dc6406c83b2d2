import type { Place } from '../../../kernel/diagnostic.ts';
import { isJsonObject } from '../../../kernel/json.ts';
import type { EventTemplate, NostrEvent } from '../letters/nostr-event.ts';
import { readDocument } from '../../../languages/shared/document.ts';
import { wordsOf } from './tags.ts';

/** The event in a definition's text of valid shape, with or without a signature. */
export function definitionEventOf(text: string, at: number): NostrEvent | EventTemplate {
  const document = readDocument(text, '');
  const event = document.ok && isJsonObject(document.value.value) ? document.value.value : {};
  const { id, pubkey, sig, content, created_at: created } = event;
  const template: EventTemplate = {
    kind: 30_920,
    created_at: typeof created === 'number' ? created : Math.floor(at / 1_000),
    tags: document.ok ? wordsOf(event['tags'], document.value) : [],
    content: typeof content === 'string' ? content : '',
  };
  if (typeof sig !== 'string') return template;
  return {
    ...template,
    sig,
    id: typeof id === 'string' ? id : '',
    pubkey: typeof pubkey === 'string' ? pubkey : '',
  };
}

/** The place of a definition's signature. */
export function signaturePlace(text: string, file: string): Place | null {
  const document = readDocument(text, file);
  return document.ok ? document.value.place(['sig']) : null;
}
