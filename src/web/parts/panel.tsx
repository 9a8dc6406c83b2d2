import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Live } from '../state/live.ts';
import type { Problem } from '../api/client.ts';
import { titleArrived } from '../state/focus.ts';
import { past } from '../state/past.ts';
import { saved } from '../state/saved.ts';
import { useHeading } from '../state/tab.ts';
import { Sentence, State } from './text.tsx';

/** A view: its title, which gets the focus when it opens, and what can be done there. */
export function View(props: {
  readonly title: ComponentChildren;
  /** What the tab says; absent: the title. */
  readonly tab?: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const heading = useHeading('view', props.tab);
  useEffect(titleArrived, []);
  return (
    <>
      <header class="head">
        <h1 ref={heading} tabIndex={-1}>
          {props.title}
        </h1>
        {saved === null && props.actions !== undefined && <div class="actions">{props.actions}</div>}
      </header>
      {props.children}
    </>
  );
}

export function Panel(props: {
  readonly title: string;
  /** Where it stands, for the style sheet. */
  readonly place?: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class={`panel ${props.place ?? ''}`}>
      <header>
        <h2>{props.title}</h2>
        {props.aside}
      </header>
      {props.children}
    </section>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

interface LoadedProps<T> {
  readonly live: Live<T>;
  readonly children: (value: T) => ComponentChildren;
  /** Of a view whose title is in its document, until that is there. */
  readonly title?: string;
}

/** A document once it is there; before that, or instead, the problem. */
export function Loaded<T>({ live, children, title }: LoadedProps<T>) {
  const { value, problem } = live;
  if (value.value !== null)
    return (
      <>
        {problem.value !== null && problem.value.code !== 'E_OFFLINE' && <Trouble problem={problem.value} />}
        {children(value.value)}
      </>
    );
  const instead =
    problem.value === null ? <p class="empty loading">Loading …</p> : <Missing problem={problem.value} />;
  return title === undefined ? instead : <View title={title}>{instead}</View>;
}

/** Why there is nothing to show; at a moment of the past it was not there yet. */
function Missing({ problem }: { readonly problem: Problem }) {
  if (past.value === null || problem.code !== 'E_TARGET') return <Trouble problem={problem} />;
  return <Empty>It was not there yet, at the moment that is shown.</Empty>;
}

export function Trouble({ problem }: { readonly problem: Problem }) {
  return (
    <div class="trouble" role="alert">
      <p>
        <State value="problem" /> <Sentence value={problem.message} /> <code>{problem.code}</code>
      </p>
      {problem.hint !== null && (
        <p>
          <Sentence value={problem.hint} />
        </p>
      )}
    </div>
  );
}

interface TableProps {
  /** What it lists; it is read out, not shown. */
  readonly caption: string;
  /** The columns; a name that begins with `#` is of a column of numbers. */
  readonly names: readonly string[];
  /** On a narrow screen each row is a block, whose cells are named by `data-name`. */
  readonly isStacked?: boolean;
  /** The bodies of the table. */
  readonly children: ComponentChildren;
  readonly after?: ComponentChildren;
}

/** A table that scrolls where it is too wide, also by keyboard. */
export function Table({ caption, names, isStacked = false, children, after }: TableProps) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table class={isStacked ? 'stacked' : undefined}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col" class={name.startsWith('#') ? 'number' : undefined}>
                {name.replace('#', '')}
              </th>
            ))}
          </tr>
        </thead>
        {children}
      </table>
      {after}
    </div>
  );
}
