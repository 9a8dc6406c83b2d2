import { at } from '../api/client.ts';
import { Patch } from '../parts/difference.tsx';
import { Loaded, Panel, Table } from '../parts/panel.tsx';
import { Prose } from '../parts/prose.tsx';
import { Lasting, Line, Sentence, Stands, State } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { link } from '../state/route.ts';
import { useSubjects } from '../state/subjects.ts';
import { needsYou } from '../waiting.ts';
import type { LandingStatus } from '../../documents/status.ts';
import type { MessageDifference } from '../../documents/mail.ts';

interface WorkProps {
  readonly of: 'messages' | 'turns';
  readonly id: string;
  readonly title?: string;
}

/** What the work of a message changes, or of a turn that is to land; of a conflict, both sides. */
export function Work({ of, id, title = 'Files' }: WorkProps) {
  const live = useLive<MessageDifference>(`${at(of, id)}/diff`, 'now');
  return (
    <Loaded live={live}>
      {({ text, patch }) => (
        <>
          {text !== null && <Prose value={text} />}
          {patch === '' ? <p class="dim">It changes no file.</p> : <Patch title={title} patch={patch} />}
        </>
      )}
    </Loaded>
  );
}

/** The landing queues of all branches, each in its order. */
export function Landings({ landings }: { readonly landings: readonly LandingStatus[] }) {
  const subjects = useSubjects(landings.map(({ thread }) => thread));
  if (landings.length === 0) return null;
  return (
    <Panel title="Landing queues">
      <Table
        caption="Work that lands"
        names={['Branch', 'State', 'Work', 'Role', 'Commit', 'For', 'Held by']}
      >
        <tbody>
          {landings.map((landing) => (
            <Row key={landing.turn} landing={landing} subject={subjects.get(landing.thread) ?? ''} />
          ))}
        </tbody>
      </Table>
    </Panel>
  );
}

function Row({
  landing: { branch, by, state, turn, role, commit, since, blocked },
  subject,
}: {
  readonly landing: LandingStatus;
  /** Of its thread; empty: it has none. */
  readonly subject: string;
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
            <Stands standing={needsYou('landing')} />
          </a>
        ) : (
          <State value={blocked === null ? state : 'blocked'} />
        )}
      </td>
      <td>
        <a href={link('turns', turn)} data-row>
          {subject === '' ? `turn ${turn}` : <Line value={subject} limit={80} />}
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
