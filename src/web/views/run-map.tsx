import { signal, useSignal, type Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { RunDefinition, RunDocument } from '../../documents/runs.ts';
import type { Standing } from '../../documents/standing.ts';
import { Empty, Panel } from '../parts/panel.tsx';
import { query, refine } from '../state/route.ts';
import { standingSo, unfolded, type StepRow } from '../steps.ts';
import { Definition, RunGraph } from './run-definition.tsx';
import { Steps } from './run-steps.tsx';
import { isDrawn } from './step-graph.tsx';

const place = 'mailroom.run.view';
const forms = ['graph', 'table', 'definition'] as const;
type Form = (typeof forms)[number];
const titles: Readonly<Record<Form, string>> = { graph: 'Graph', table: 'Table', definition: 'Definition' };

/** Whether runs are shown as graphs or as tables; it is remembered. */
const form = signal<Form>(localStorage.getItem(place) === 'table' ? 'table' : 'graph');

const filters: readonly Standing['is'][] = ['failed', 'needs you', 'waiting', 'working'];

/** Which rows are shown, and which of them are open. */
export interface ShownRows {
  readonly rows: readonly StepRow[];
  readonly open: Signal<ReadonlySet<string>>;
  readonly filter: Standing['is'] | null;
}

/** The rows of a run that are shown. What is around the chosen one is open. */
export function useShownRows(all: readonly StepRow[], chosen: string | null): ShownRows {
  const open = useSignal<ReadonlySet<string>>(new Set());
  const filter = filters.find((each) => each === query.value.get('only')) ?? null;
  const rows = useMemo(() => {
    if (filter !== null) return standingSo(all, filter);
    return unfolded(all, (path) => open.value.has(path) || chosen?.startsWith(`${path}/`) === true);
  }, [all, chosen, filter, open.value]);
  return { rows, open, filter };
}

interface Props {
  readonly run: RunDocument;
  readonly all: readonly StepRow[];
  readonly shown: ShownRows;
  readonly definition: RunDefinition | null;
  readonly chosen: string | null;
}

/** The steps of a run as a graph or a table, with the definition that it follows. */
export function RunMap({ run, all, shown, definition, chosen }: Props) {
  const steps = definition?.graph.nodes.length ?? all.length;
  const isGraph = isDrawn(steps) && shown.filter === null;
  const seen = form.value === 'graph' && !isGraph ? 'table' : form.value;
  return (
    <Panel title="Steps" place="run-map" aside={<Switches seen={seen} shown={shown} all={all} />}>
      {seen === 'graph' && definition !== null && (
        <RunGraph run={run.run} graph={definition.graph} rows={all} chosen={chosen} />
      )}
      {seen === 'graph' && definition === null && <p class="empty loading">Loading …</p>}
      {seen === 'table' && form.value === 'graph' && steps > 1 && shown.filter === null && (
        <p class="dim">{`A graph of ${String(steps)} steps is too large to read: here is the table.`}</p>
      )}
      {seen === 'table' && shown.rows.length === 0 && <Empty>There is no such step.</Empty>}
      {seen === 'table' && shown.rows.length > 0 && (
        <Steps
          run={run.run}
          rows={shown.rows}
          chosen={chosen}
          open={shown.open}
          isFiltered={shown.filter !== null}
        />
      )}
      {seen === 'definition' && <Definition run={run} definition={definition} />}
    </Panel>
  );
}

function Switches({ seen, shown, all }: Pick<Props, 'shown' | 'all'> & { readonly seen: Form }) {
  const choose = (next: Form) => {
    if (next === 'graph' && shown.filter !== null) refine('only', '');
    form.value = next;
    if (next !== 'definition') localStorage.setItem(place, next);
  };
  return (
    <div class="row">
      <select
        aria-label="Only steps that"
        value={shown.filter ?? ''}
        onChange={(event) => {
          refine('only', event.currentTarget.value);
          if (form.value === 'definition') form.value = 'table';
        }}
      >
        <option value="">All steps</option>
        {filters.map((each) => (
          <option key={each} value={each}>
            {`${titleOf[each]} (${String(standingSo(all, each).length)})`}
          </option>
        ))}
      </select>
      <fieldset class="tabs">
        <legend class="unseen">Shown as</legend>
        {forms.map((each) => (
          <label key={each}>
            <input type="radio" name="run-view" checked={seen === each} onChange={() => choose(each)} />
            {titles[each]}
          </label>
        ))}
      </fieldset>
    </div>
  );
}

const titleOf: Readonly<Record<Standing['is'], string>> = {
  failed: 'Failed',
  'needs you': 'Needs you',
  waiting: 'Waiting',
  working: 'Running',
  done: 'Done',
};
