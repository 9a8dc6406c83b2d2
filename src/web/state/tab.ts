import { computed, effect, signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { oneLine } from '../../kernel/one-line.ts';
import type { InboxItem } from '../../documents/inbox.ts';
import { go, link } from './route.ts';

/* What the tab of the browser says: its title, its picture, and notifications while hidden. */

/** What the shown headings say: that of the view, and that of the chosen thing of its list. */
const headings = { view: signal(''), detail: signal('') };

/** The folder of the project, and the number of things that need a person. */
const project = signal('');
const count = signal(0);

/** The items that move again only when a person acts: all but notices. */
export function needsYou(items: readonly InboxItem[]): readonly InboxItem[] {
  return items.filter(({ kind }) => kind !== 'notice');
}

/** The name of a project: that of its folder. */
export function projectName(folder: string): string {
  return oneLine(folder.split(/[\\/]/).at(-1) ?? '', 30);
}

/**
 * The heading of a view, or of the chosen thing of its list, which then names the tab as long as it
 * is shown. `words`: what the tab says instead of the heading's own words.
 */
export function useHeading(of: keyof typeof headings, words?: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    headings[of].value = words ?? heading.current?.textContent ?? '';
  });
  useLayoutEffect(() => () => void (headings[of].value = ''), [of]);
  return heading;
}

/** Shows the tab's project, and what waits in its inbox; null: that is not known yet. */
export function useTab(folder: string, items: readonly InboxItem[] | null): void {
  useEffect(() => {
    project.value = projectName(folder);
    if (items === null) return;
    const waiting = needsYou(items);
    count.value = waiting.length;
    announce(waiting);
  }, [folder, items]);
}

const title = computed(() => {
  const waiting = count.value > 0 ? `(${String(count.value)}) ` : '';
  const parts = [oneLine(headings.detail.value || headings.view.value, 80), project.value || 'Mailroom'];
  return waiting + parts.filter((part) => part !== '').join(' · ');
});

const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
const plain = icon?.getAttribute('href') ?? '';
const dot = "%3Ccircle cx='12.5' cy='3.5' r='3.5' fill='%23e8590c'/%3E%3C/svg%3E";
const dotted = plain.replace('%3C/svg%3E', dot);

effect(() => {
  document.title = title.value;
  icon?.setAttribute('href', count.value > 0 ? dotted : plain);
});

/** Whether the browser shows notifications of the page; `default`: the person was not asked. */
export const permission = signal(globalThis.Notification?.permission ?? 'denied');

export async function askPermission(): Promise<void> {
  permission.value = await Notification.requestPermission();
}

let known: ReadonlySet<string> | null = null;
/** More new items than this are one notification. */
const mostNotes = 3;

/** Notifies a person who does not see the page of what has begun to need one. */
function announce(items: readonly InboxItem[]): void {
  const before = known;
  known = new Set(items.map(({ id }) => id));
  if (before === null || !document.hidden || permission.value !== 'granted') return;
  const fresh = items.filter(({ id }) => !before.has(id));
  if (fresh.length > mostNotes)
    return note(`${String(fresh.length)} things need you`, project.value, 'inbox', link('inbox'));
  for (const { id, subject, kind, from } of fresh)
    note(
      oneLine(subject, 120),
      `${kind} from ${oneLine(from, 60)} · ${project.value}`,
      id,
      link('inbox', id),
    );
}

/** All tabs of a project share a tag, so that several show one notification. */
function note(text: string, body: string, id: string, to: string): void {
  const shown = new Notification(text, { body, tag: `${project.value} ${id}` });
  shown.addEventListener('click', () => {
    window.focus();
    go(to);
    shown.close();
  });
}
