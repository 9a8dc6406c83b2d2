import { command } from '../api/actions.ts';
import { at } from '../api/client.ts';
import type { ResumptionDocument } from '../../documents/runs.ts';
import { ActButton } from '../parts/form.tsx';
import { Loaded, Panel, Table } from '../parts/panel.tsx';
import { Line, State } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { notify } from '../state/toasts.ts';

/** What resuming a run would do with each step, before it is done. */
export function ResumePanel({ run, close }: { readonly run: string; readonly close: () => void }) {
  const path = at('workflow-runs', run);
  const live = useLive<ResumptionDocument>(`${path}/resumption`);
  const resume = async () => {
    await command(path, 'resume');
    notify('The run continues.');
    close();
  };
  return (
    <Panel title="What resuming does">
      <Loaded live={live}>
        {({ steps }) => (
          <Table caption="What resuming does with each step" names={['Step', 'Does', 'Why']}>
            <tbody>
              {steps.map((each) => (
                <tr key={each.path}>
                  <th scope="row">
                    <Line value={each.path} limit={80} />
                  </th>
                  <td>
                    <State value={each.does} />
                  </td>
                  <td>
                    <Line value={each.why} limit={200} />
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </Loaded>
      <p class="actions">
        <ActButton kind="primary" act={resume}>
          Resume now
        </ActButton>
        <button type="button" onClick={close}>
          Not now
        </button>
      </p>
    </Panel>
  );
}
