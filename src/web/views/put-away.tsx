import { signal } from '@preact/signals';
import { counted } from '../../kernel/enumerate.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { moveNotices } from '../api/actions.ts';
import { ActButton } from '../parts/form.tsx';
import { refreshAll } from '../state/live.ts';
import { notify } from '../state/toasts.ts';
import type { InboxItem } from '../../documents/inbox.ts';

/** What was settled here, by id: it is not shown, even if the project does not show that yet. */
const settled = signal<ReadonlyMap<string, string>>(new Map());

/** Work that comes back has other changes. */
function keyOf({ id, changes, since }: InboxItem): string {
  return JSON.stringify([id, changes, since]);
}

export function isSettled(item: InboxItem): boolean {
  return settled.value.has(keyOf(item));
}

export function settle(items: readonly InboxItem[]): void {
  settled.value = new Map([...settled.value, ...items.map((item) => [keyOf(item), item.id] as const)]);
}

/** Puts notices back, in the project and here; one that came back at once has caused no event. */
export async function bringBack(ids: readonly string[]): Promise<void> {
  await moveNotices(ids, 'back');
  settled.value = new Map([...settled.value].filter(([, id]) => !ids.includes(id)));
  refreshAll('mail');
}

interface PutAwayProps {
  readonly items: readonly InboxItem[];
  readonly done?: () => void;
  /** It has words, not only a sign. */
  readonly isLabelled?: boolean;
  readonly children?: string;
}

/** Puts notices away, all at once; the key `e` presses it where it is in a row or in the detail. */
export function PutAway({ items, done, isLabelled = false, children = 'Put away' }: PutAwayProps) {
  const ids = items.map(({ id }) => id);
  // Of a thread that ended long ago nothing is remembered, so its notices cannot be unread again.
  const canReturn = items.every(({ thread_subject: remembered }) => remembered !== null);
  const act = async () => {
    await moveNotices(ids, 'done');
    settle(items);
    notify(
      `Put away ${counted(items.length, 'notice')}: the folder processed/ keeps them.`,
      canReturn ? () => bringBack(ids) : null,
    );
    done?.();
  };
  const label = `Put away ${String(items.length)}: ${oneLine(items[0]?.subject ?? '', 80)}`;
  return (
    <span class="put-away">
      <ActButton act={act} {...(!isLabelled && { label })}>
        {isLabelled ? children : '✓'}
      </ActButton>
    </span>
  );
}
