import { at } from '../api/client.ts';
import { Patch } from '../parts/difference.tsx';
import { Loaded, Panel, Table } from '../parts/panel.tsx';
import { Lasting, Line, Sentence, State } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { link } from '../state/route.ts';
import type { LandingStatus } from '../../documents/status.ts';
import type { MessageDifference } from '../../documents/mail.ts';

/** What the work of a message changes, or of a turn whose work is to land. */
export function Work({ of, id }: { readonly of: 'messages' | 'turns'; readonly id: string }) {
  const live = useLive<MessageDifference>(`${at(of, id)}/diff`, 'now');
  return (
    <Loaded live={live}>
      {({ patch }) =>
        patch === '' ? <p class="dim">It changes no file.</p> : <Patch title="Files" patch={patch} />
      }
    </Loaded>
  );
}

/** The landing queues of all branches, each in its order. */
export function Landings({ landings }: { readonly landings: readonly LandingStatus[] }) {
  if (landings.length === 0) return null;
  return (
    <Panel title="Landing queues">
      <Table
        caption="Work that lands"
        names={['Branch', 'State', 'Turn', 'Role', 'Commit', 'For', 'Held by']}
      >
        <tbody>
          {landings.map((landing) => (
            <Row key={landing.turn} landing={landing} />
          ))}
        </tbody>
      </Table>
    </Panel>
  );
}

function Row({
  landing: { branch, by, state, turn, role, commit, since, blocked },
}: {
  readonly landing: LandingStatus;
}) {
  return (
    <tr>
      <th scope="row">
        <Line value={branch} limit={60} />
        {by !== 'merge' && <span class="dim"> by {by}</span>}
      </th>
      <td>
        {state === 'approval' ? (
          <a href={link('inbox', turn)}>
            <State value={state} />
          </a>
        ) : (
          <State value={blocked === null ? state : 'blocked'} />
        )}
      </td>
      <td>
        <a href={link('turns', turn)} data-row>
          {turn}
        </a>
      </td>
      <td>
        <Line value={role} limit={40} />
      </td>
      <td>
        <code>{commit.slice(0, 10)}</code>
      </td>
      <td>
        <Lasting from={since} />
      </td>
      <td>{blocked !== null && <Sentence value={blocked} />}</td>
    </tr>
  );
}
