import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { titleArrived } from '../state/focus.ts';
import { useHeading } from '../state/tab.ts';

const wide = matchMedia('(width >= 1100px)');

/** Whether two things have room beside each other. */
export const isWide = signal(wide.matches);
wide.addEventListener('change', () => (isWide.value = wide.matches));

interface PanesProps {
  /** What the list has, such as `inbox`. */
  readonly name: string;
  /** The address of the list alone. */
  readonly back: string;
  readonly list: ComponentChildren;
  /** The chosen thing; null: none is chosen. */
  readonly detail: ComponentChildren;
}

/**
 * A list at the left and the chosen thing beside it. On a narrower screen the chosen thing
 * covers the list.
 */
export function Panes({ name, back, list, detail }: PanesProps) {
  return (
    <div class={`panes ${!detail ? '' : 'open'}`}>
      <div class="list">{list}</div>
      {detail && (
        <div class="detail">
          <a class="back" href={back}>
            ← Back to the {name}
          </a>
          {detail}
        </div>
      )}
    </div>
  );
}

interface CardProps {
  readonly to: string;
  readonly isChosen: boolean;
  readonly children: ComponentChildren;
}

/** A row of the list that leads to its detail. The chosen one comes into sight of the list. */
export function CardLink({ to, isChosen, children }: CardProps) {
  const row = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isChosen && row.current !== null) bringIntoSight(row.current);
  }, [isChosen]);
  return (
    <a ref={row} class="card" data-row href={to} aria-current={isChosen ? 'true' : undefined}>
      {children}
    </a>
  );
}

/** Moves the list alone: `scrollIntoView` would move the page, too. */
function bringIntoSight(row: HTMLElement): void {
  const list = row.closest('.list');
  if (list === null) return;
  const [seen, own] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
  if (own.top < seen.top || own.bottom > seen.bottom)
    list.scrollTop += own.top - seen.top - (seen.height - own.height) / 2;
}

interface DetailProps {
  readonly title: ComponentChildren;
  /** What the tab says; absent: the title. */
  readonly tab?: string;
  readonly actions?: ComponentChildren;
  /** A person has chosen it, so it takes the focus and names the tab; default: true. */
  readonly isAsked?: boolean;
  readonly children: ComponentChildren;
}

/**
 * The chosen thing of a list: its title, which gets the focus when it is chosen, and what can be
 * done.
 */
export function Detail({ title, tab, actions, isAsked = true, children }: DetailProps) {
  const heading = useHeading('detail', isAsked ? tab : '');
  useEffect(() => {
    if (isAsked) titleArrived();
  }, [isAsked]);
  return (
    <section class="panel item" aria-labelledby="detail-title">
      <header>
        <h2 ref={heading} id="detail-title" tabIndex={-1} data-asked={isAsked ? '' : undefined}>
          {title}
        </h2>
        {actions !== undefined && actions !== false && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
