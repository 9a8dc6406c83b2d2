import type { Signal } from '@preact/signals';
import { Lasting, Line, paid, Price, Stands } from '../parts/text.tsx';
import { useWindow } from '../state/windowed.ts';
import type { StepRow } from '../steps.ts';
import { focusedStep, moveAmong, onStepClick } from './run-choice.ts';
import { stepLink } from './timeline.tsx';

/** The height of a row in pixels, as the style sheet has it. */
const height = 30;
const names = ['Step', 'State', 'Took', 'Attempts', 'Cost', 'Reason'];
const withoutCost = names.filter((name) => name !== 'Cost');

interface StepsProps {
  readonly run: string;
  /** Those that are shown. */
  readonly rows: readonly StepRow[];
  readonly chosen: string | null;
  /** The rows whose inside is shown. */
  readonly open: Signal<ReadonlySet<string>>;
  /** They are a selection, each with its whole path. */
  readonly isFiltered: boolean;
}

/** The steps of a run as a table of any length; arrow keys choose and unfold. */
export function Steps({ run, rows, chosen, open, isFiltered }: StepsProps) {
  const index = rows.findIndex(({ path }) => path === chosen);
  const { box, onScroll, first, last, above, below } = useWindow(rows.length, height, index, chosen);
  const hasCost = rows.some(({ step }) => step !== null && paid(step.cost) !== '');
  const columns = hasCost ? names : withoutCost;
  const onKeyDown = (event: KeyboardEvent) => {
    const paths = rows.map(({ path }) => path);
    if (moveAmong(paths, chosen, event)) return;
    const row = rows.find(({ path }) => path === focusedStep(event));
    if (row === undefined || row.inside.length === 0 || isFiltered) return;
    if (event.key === 'ArrowRight') fold(open, row.path, true);
    else if (event.key === 'ArrowLeft') fold(open, row.path, false);
    else return;
    event.preventDefault();
  };
  return (
    <div
      class="scroll steps fill"
      ref={box}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      tabIndex={0}
      role="region"
      aria-label="Steps"
    >
      <table aria-rowcount={rows.length + 1}>
        <caption>Steps</caption>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col" class={/Attempts|Cost/.test(name) ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space height={above} columns={columns.length} />
          {rows.slice(first, last).map((row, offset) => (
            <Row
              key={row.path}
              run={run}
              row={row}
              number={first + offset + 2}
              isChosen={row.path === chosen}
              fold={isFiltered || row.inside.length === 0 ? null : open}
              isFiltered={isFiltered}
              hasCost={hasCost}
            />
          ))}
          <Space height={below} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

/** Stands for rows that are not drawn. */
function Space({ height: pixels, columns }: { readonly height: number; readonly columns: number }) {
  if (pixels === 0) return null;
  return (
    <tr class="space" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${String(pixels)}px` }} />
    </tr>
  );
}

function fold(open: StepsProps['open'], path: string, isOpen: boolean): void {
  const next = new Set(open.value);
  if (isOpen) next.add(path);
  else next.delete(path);
  open.value = next;
}

interface RowProps {
  readonly run: string;
  readonly row: StepRow;
  /** In the whole table, counted from 1. */
  readonly number: number;
  readonly isChosen: boolean;
  /** Null: nothing is inside of it. */
  readonly fold: StepsProps['open'] | null;
  readonly isFiltered: boolean;
  readonly hasCost: boolean;
}

function Row({ run, row, number, isChosen, fold: open, isFiltered, hasCost }: RowProps) {
  const { path, name, title, depth, step, rounds, standing } = row;
  const isOpen = open?.value.has(path) ?? false;
  return (
    <tr class={isChosen ? 'chosen' : undefined} aria-rowindex={number}>
      <th scope="row" class={isFiltered ? undefined : `depth-${String(Math.min(depth, 4))}`}>
        {open !== null && (
          <button
            type="button"
            class="quiet fold"
            aria-expanded={isOpen}
            aria-label={`${isOpen ? 'Fold' : 'Unfold'} ${name}`}
            onClick={() => fold(open, path, !isOpen)}
          >
            {isOpen ? '▾' : '▸'}
          </button>
        )}
        <a
          data-row
          data-path={path}
          href={stepLink(run, path)}
          onClick={onStepClick(path)}
          aria-current={isChosen ? 'true' : undefined}
        >
          <Line value={isFiltered ? title : name} limit={80} />
        </a>
      </th>
      <td>
        <Stands standing={standing} />
      </td>
      <td>{step?.started_at != null && <Lasting from={step.started_at} to={step.completed_at} />}</td>
      <td class="number">{step !== null && step.attempts > 0 && step.attempts}</td>
      {hasCost && <td class="number">{step !== null && <Price cost={step.cost} />}</td>}
      <td>
        {rounds} {step?.reason != null && <Line value={step.reason} limit={160} />}
      </td>
    </tr>
  );
}
