import type { ComponentChildren } from 'preact';
import { useHeading } from '../state/tab.ts';

interface PanesProps {
  /** What the list has, such as `inbox`. */
  readonly name: string;
  /** The address of the list alone. */
  readonly back: string;
  readonly list: ComponentChildren;
  /** The chosen thing; null: none is chosen. */
  readonly detail: ComponentChildren | null;
}

/**
 * A list at the left and the chosen thing at the right. On a narrower screen the chosen thing
 * covers the list.
 */
export function Panes({ name, back, list, detail }: PanesProps) {
  return (
    <div class={`panes ${detail === null ? '' : 'open'}`}>
      <div class="list">{list}</div>
      {detail !== null && (
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

interface DetailProps {
  readonly title: ComponentChildren;
  /** What the tab says; absent: the title. */
  readonly tab?: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The chosen thing of a list: its title, which gets the focus when it is chosen, and what can be done. */
export function Detail({ title, tab, actions, children }: DetailProps) {
  const heading = useHeading('detail', tab);
  return (
    <section class="panel item" aria-labelledby="detail-title">
      <header>
        <h2 ref={heading} id="detail-title" tabIndex={-1}>
          {title}
        </h2>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
