import { Empty, Loaded, Table, View } from '../parts/panel.tsx';
import { Ago, Lasting, Line, Price, State } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { link, query, refine } from '../state/route.ts';
import { More, pageSize } from './threads.tsx';
import { Id } from '../parts/text.tsx';
import type { RunSummary } from '../../documents/runs.ts';

/** The state of a run as people see it: one that no process hosts has stopped. */
export function stateOf({ status, alive }: Pick<RunSummary, 'status' | 'alive'>): string {
  return status === 'RUNNING' && !alive ? 'stopped' : status;
}

const states = ['RUNNING', 'stopped', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED'];

/** All runs, newest first, by workflow and state. */
export function Runs() {
  const live = useLive<readonly RunSummary[]>('/workflow-runs');
  const [workflow, state] = [query.value.get('workflow') ?? '', query.value.get('state') ?? ''];
  const names = [...new Set(live.value.value?.map((run) => run.workflow))].toSorted();
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
          {names.map((name) => (
            <option key={name} value={name}>
              <Line value={name} limit={60} />
            </option>
          ))}
        </select>
        <select
          aria-label="State"
          value={state}
          onChange={(event) => refine('state', event.currentTarget.value)}
        >
          <option value="">Every state</option>
          {states.map((each) => (
            <option key={each} value={each}>
              {each.toLowerCase().replace('_', ' ')}
            </option>
          ))}
        </select>
      </div>
      <Loaded live={live}>
        {(runs) => (
          <Rows
            runs={runs.filter(
              (run) =>
                (workflow === '' || run.workflow === workflow) && (state === '' || stateOf(run) === state),
            )}
          />
        )}
      </Loaded>
    </View>
  );
}

function Rows({ runs }: { readonly runs: readonly RunSummary[] }) {
  if (runs.length === 0) return <Empty>There is no such run.</Empty>;
  const shown = Number(query.value.get('show') ?? pageSize);
  return (
    <Table
      caption="Runs, newest first"
      names={['Workflow', 'Run', 'State', 'Started', 'Took', '#Cost']}
      after={<More total={runs.length} shown={shown} />}
    >
      <tbody>
        {runs.slice(0, shown).map((run) => (
          <tr key={run.run}>
            <th scope="row">
              <a href={link('runs', run.run)} data-row>
                <Line value={run.workflow} limit={60} />
              </a>
            </th>
            <td>
              <Id value={run.run} />
            </td>
            <td>
              <State value={stateOf(run)} /> {run.reason !== null && <Line value={run.reason} limit={120} />}
            </td>
            <td>{run.started_at !== null && <Ago at={run.started_at} />}</td>
            <td>
              {run.started_at !== null && (run.completed_at !== null || run.alive) && (
                <Lasting from={run.started_at} to={run.completed_at} />
              )}
            </td>
            <td class="number">
              <Price cost={run.cost} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
