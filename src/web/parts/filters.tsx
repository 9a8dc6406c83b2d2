import type { ComponentChildren } from 'preact';
import { oneLine } from '../../kernel/one-line.ts';
import { inQuery, refine } from '../state/route.ts';
import { groups } from './text.tsx';

interface FiltersProps {
  /** What is listed, such as `threads`. */
  readonly of: string;
  /** More that restricts the list. */
  readonly children?: ComponentChildren;
}

/** What a list is restricted to; the address has it. */
export function Filters({ of, children }: FiltersProps) {
  return (
    <div class="filters">
      <input
        type="search"
        aria-label={`Find ${of} by words`}
        placeholder="Find by words"
        value={inQuery('q')}
        onInput={(event) => refine('q', event.currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === 'Enter')
            document.querySelector<HTMLElement>('main :is(.list, table) [data-row]')?.click();
        }}
      />
      {children}
    </div>
  );
}

interface ChoiceProps {
  /** Its name in the address. */
  readonly of: string;
  readonly label: string;
  /** Values and their names; the first is chosen where the address has none. */
  readonly options: readonly (readonly string[])[];
}

export function Choice({ of, label, options }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      value={inQuery(of) || options[0]?.[0]}
      onChange={(event) => refine(of, event.currentTarget.value)}
    >
      {options.map(([value, name = '']) => (
        <option key={value} value={value}>
          {oneLine(name, 60)}
        </option>
      ))}
    </select>
  );
}

export function States() {
  return <Choice of="standing" label="State" options={[['', 'Every state'], ...Object.entries(groups)]} />;
}

/** How many rows a list shows before it is asked for more, and the most that it reads at once. */
export const pageSize = 100;
const mostRead = 1_000;

export function shownRows(): number {
  return Number(inQuery('show')) || pageSize;
}

/** One row more than is shown says that there are others. */
export function limitOf(shown: number): number {
  return Math.min(shown + 1, mostRead);
}

export function More() {
  return (
    <button type="button" onClick={() => refine('show', String(shownRows() + pageSize))}>
      Show more
    </button>
  );
}
