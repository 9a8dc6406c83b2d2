import type { ComponentChildren } from 'preact';
import { called } from '../../kernel/called.ts';
import { listPath } from '../api/client.ts';
import { Choice, Filters, limitOf, More, shownRows, States } from '../parts/filters.tsx';
import { CardLink } from '../parts/panes.tsx';
import { Empty, Loaded, Table, View } from '../parts/panel.tsx';
import { Ago, groups, Id, Lasting, Line, paid, Price, Stands } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { inQuery, link } from '../state/route.ts';
import type { RunSummary } from '../../documents/runs.ts';
import type { WorkflowRow } from '../../documents/workflows.ts';

/** All runs by how they stand, each group newest first. */
export function Runs() {
  const workflow = inQuery('workflow');
  const filter = { workflow, standing: inQuery('standing'), q: inQuery('q') };
  const shown = shownRows();
  const live = useLive<readonly RunSummary[]>(
    listPath('workflow-runs', { ...filter, order: 'standing', limit: limitOf(shown) }),
  );
  const known = useLive<readonly WorkflowRow[]>('/workflows').value.value ?? [];
  const runs = live.value.value ?? [];
  const names = ['', workflow, ...known.map(({ name }) => name ?? ''), ...runs.map((run) => run.workflow)];
  return (
    <View
      title="Runs"
      actions={
        <a class="button primary" href={link('workflows')}>
          Run a workflow
        </a>
      }
    >
      <Filters of="runs">
        <Choice
          of="workflow"
          label="Workflow"
          options={[...new Set(names)].toSorted().map((name) => [name, name || 'Every workflow'])}
        />
        <States />
      </Filters>
      <Loaded live={live}>
        {(all) =>
          all.length === 0 ? (
            <Empty>{Object.values(filter).join('') === '' ? 'No run yet.' : 'There is no such run.'}</Empty>
          ) : (
            <Rows runs={all} shown={shown} />
          )
        }
      </Loaded>
    </View>
  );
}

function Rows({ runs, shown }: { readonly runs: readonly RunSummary[]; readonly shown: number }) {
  const hasCost = runs.some(({ cost }) => paid(cost) !== '');
  return (
    <Table
      caption="Runs by state, newest first"
      isStacked
      names={['Workflow', 'State', 'Done', 'Started', 'By', 'Took', ...(hasCost ? ['#Cost'] : [])]}
      after={
        runs.length > shown && (
          <p class="more">
            <More />
          </p>
        )
      }
    >
      {Object.entries(groups).map(([is, name]) => {
        const own = runs.slice(0, shown).filter(({ standing }) => standing.is === is);
        return (
          own.length > 0 && (
            <tbody key={is}>
              <tr class="group">
                <th scope="rowgroup" colSpan={hasCost ? 7 : 6}>
                  <h2>{name}</h2>
                </th>
              </tr>
              {own.map((run) => (
                <Row key={run.run} run={run} hasCost={hasCost} />
              ))}
            </tbody>
          )
        );
      })}
    </Table>
  );
}

function Row({ run, hasCost }: { readonly run: RunSummary; readonly hasCost: boolean }) {
  return (
    <tr>
      <th scope="row">
        <a href={link('runs', run.run)} data-row>
          <Line value={called(run.workflow, run.title)} limit={60} />
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
      {hasCost && (
        <td class="number" data-name="Cost">
          <Price cost={run.cost} />
        </td>
      )}
    </tr>
  );
}

/** Why a run stands so, or in spite of what: its error, or what it asks. */
function whyOf({ reason, gates, status }: RunSummary): string {
  if (reason !== null && status === 'SUCCEEDED') return `although ${reason}`;
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
  const live = useLive<readonly RunSummary[]>(`/workflow-runs?limit=${String(mostBeside)}`);
  return (
    <Loaded live={live}>
      {(runs) => (
        <nav aria-label="Runs">
          <ul class="cards">
            {runs.map((run) => (
              <RunCard key={run.run} of={run} isChosen={run.run === chosen} />
            ))}
          </ul>
        </nav>
      )}
    </Loaded>
  );
}

interface RunCardProps {
  readonly of: RunSummary;
  readonly isChosen?: boolean;
}

/** A run in a list, which leads to it. */
export function RunCard({ of, isChosen = false }: RunCardProps) {
  const { run, workflow, title, standing, started_at: at } = of;
  const why = whyOf(of);
  return (
    <li>
      <CardLink to={link('runs', run)} isChosen={isChosen}>
        <span class="row">
          <strong>
            <Line value={called(workflow, title)} limit={60} />
          </strong>
          {at !== null && <Ago at={at} />}
        </span>
        <span class="stands">
          <Stands standing={standing} />
          {why !== '' && (
            <span class="reason">
              <Line value={why} limit={140} />
            </span>
          )}
        </span>
      </CardLink>
    </li>
  );
}
