import type { ComponentChildren } from 'preact';
import { CardLink } from '../parts/panes.tsx';
import { Empty, Loaded, Table, View } from '../parts/panel.tsx';
import { Ago, Id, Lasting, Line, Price, Stands } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { link, query, refine } from '../state/route.ts';
import type { RunSummary } from '../../documents/runs.ts';
import type { WorkflowRow } from '../../documents/workflows.ts';

const standings: readonly (readonly [value: string, name: string])[] = [
  ['', 'All runs'],
  ['needs you', 'Needs you'],
  ['working', 'Running'],
  ['waiting', 'Waiting or stopped'],
  ['failed', 'Failed'],
  ['done', 'Done'],
];
const pageSize = 100;

/** The path of the newest runs, one more than are shown. */
function pathOf(of: Readonly<Record<string, string>>, shown: number): string {
  const given = Object.entries(of).filter(([, value]) => value !== '');
  return `/workflow-runs?${new URLSearchParams([...given, ['limit', String(shown + 1)]]).toString()}`;
}

/** All runs, newest first, by workflow and by how they stand. */
export function Runs() {
  const [workflow, standing] = [query.value.get('workflow') ?? '', query.value.get('standing') ?? ''];
  const shown = Number(query.value.get('show') ?? pageSize);
  const live = useLive<readonly RunSummary[]>(pathOf({ workflow, standing }, shown));
  const known = useLive<readonly WorkflowRow[]>('/workflows').value.value ?? [];
  const runs = live.value.value ?? [];
  const names = [...known.map(({ name }) => name ?? ''), workflow, ...runs.map((run) => run.workflow)];
  return (
    <View
      title="Runs"
      actions={
        <a class="button primary" href={link('workflows')}>
          Run a workflow
        </a>
      }
    >
      <div class="filters">
        <select
          aria-label="Workflow"
          value={workflow}
          onChange={(event) => refine('workflow', event.currentTarget.value)}
        >
          <option value="">Every workflow</option>
          {[...new Set(names)]
            .filter((name) => name !== '')
            .toSorted()
            .map((name) => (
              <option key={name} value={name}>
                <Line value={name} limit={60} />
              </option>
            ))}
        </select>
        <select
          aria-label="State"
          value={standing}
          onChange={(event) => refine('standing', event.currentTarget.value)}
        >
          {standings.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </div>
      <Loaded live={live}>
        {(all) =>
          all.length === 0 ? (
            <Empty>{workflow === '' && standing === '' ? 'No run yet.' : 'There is no such run.'}</Empty>
          ) : (
            <Rows runs={all} shown={shown} />
          )
        }
      </Loaded>
    </View>
  );
}

function Rows({ runs, shown }: { readonly runs: readonly RunSummary[]; readonly shown: number }) {
  return (
    <Table
      caption="Runs, newest first"
      isStacked
      names={['Workflow', 'State', 'Done', 'Started', 'By', 'Took', '#Cost']}
      after={
        runs.length > shown && (
          <p class="more">
            <button type="button" onClick={() => refine('show', String(shown + 5 * pageSize))}>
              Show more
            </button>
          </p>
        )
      }
    >
      <tbody>
        {runs.slice(0, shown).map((run) => (
          <tr key={run.run}>
            <th scope="row">
              <a href={link('runs', run.run)} data-row>
                <Line value={run.workflow} limit={60} />
              </a>{' '}
              <Id value={run.run} />
            </th>
            <td>
              <Stands standing={run.standing} /> <Line value={whyOf(run)} limit={120} />
            </td>
            <td data-name="Done">{`${String(run.progress.completed)} of ${String(run.progress.total)}`}</td>
            <td data-name="Started">{run.started_at !== null && <Ago at={run.started_at} />}</td>
            <td data-name="By">
              <Line value={starterOf(run)} limit={40} />
            </td>
            <td data-name="Took">{tookOf(run)}</td>
            <td class="number" data-name="Cost">
              <Price cost={run.cost} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** Why a run stands so: its error, or what it asks. */
function whyOf({ reason, gates }: RunSummary): string {
  return reason ?? gates.find(({ recorded }) => recorded === null)?.message ?? '';
}

/** Who started a run. */
export function starterOf({ person, started_by: by }: RunSummary): string {
  return person ?? (by === 'up' ? 'trigger' : 'unknown');
}

/** How long a run took, or has run; nothing of one that has stopped. */
export function tookOf({ started_at: from, completed_at: to, alive }: RunSummary): ComponentChildren {
  return from !== null && (to !== null || alive) && <Lasting from={from} to={to} />;
}

/** How many runs stand beside the shown one. */
const mostBeside = 50;

/** The newest runs, beside the shown one. */
export function RunsBeside({ chosen }: { readonly chosen: string }) {
  const live = useLive<readonly RunSummary[]>(pathOf({}, mostBeside));
  return (
    <Loaded live={live}>
      {(runs) => (
        <nav aria-label="Runs">
          <ul class="cards">
            {runs.slice(0, mostBeside).map((run) => (
              <RunCard key={run.run} {...run} isChosen={run.run === chosen} isRow={false} />
            ))}
          </ul>
        </nav>
      )}
    </Loaded>
  );
}

interface RunCardProps extends Pick<RunSummary, 'run' | 'workflow' | 'standing' | 'started_at'> {
  readonly isChosen?: boolean;
  readonly isRow?: boolean;
}

/** A run in a list, which leads to it. */
export function RunCard({
  run,
  workflow,
  standing,
  started_at: at,
  isChosen = false,
  isRow = true,
}: RunCardProps) {
  return (
    <li>
      <CardLink to={link('runs', run)} isChosen={isChosen} isRow={isRow}>
        <span class="row">
          <strong>
            <Line value={workflow} limit={60} />
          </strong>
          {at !== null && <Ago at={at} />}
        </span>
        <span>
          <Stands standing={standing} />
        </span>
      </CardLink>
    </li>
  );
}
