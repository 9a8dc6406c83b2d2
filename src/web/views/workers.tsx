import { oneLine } from '../../kernel/one-line.ts';
import { order } from '../api/actions.ts';
import { ActButton } from '../parts/form.tsx';
import { Empty, Table } from '../parts/panel.tsx';
import { Ago, State, Until, visible } from '../parts/text.tsx';
import { link } from '../state/route.ts';
import { notify } from '../state/toasts.ts';
import type { TurnWorker, Overview } from '../../documents/status.ts';

type Worker = NonNullable<Overview['workers']>[number];

/** The worker that runs a turn, after what it does. */
export function OnWorker({ worker }: { readonly worker: TurnWorker | null }) {
  if (worker === null) return null;
  return <> on {oneLine(worker.host, 40)}</>;
}

/** The workers of a project: who is there, and what each of them does since when. */
export function Workers({ workers }: { readonly workers: Overview['workers'] }) {
  if (workers === null) return null;
  return (
    <section class="titled" aria-label="Workers">
      <h2>Workers</h2>
      {workers.length === 0 ? (
        <Empty>
          No worker is there. Start one on each host: <code>mailroom worker --roles &lt;names&gt;</code>
        </Empty>
      ) : (
        <Table
          caption="Workers, by host"
          names={['Host', 'State', 'Takes', 'Runs', '#Slots', 'Since', 'Last seen', 'Actions']}
        >
          <tbody>
            {workers.map((worker) => (
              <Row key={worker.id} worker={worker} />
            ))}
          </tbody>
        </Table>
      )}
    </section>
  );
}

function Row({ worker }: { readonly worker: Worker }) {
  const { host, id, login, state, parked, roles, labels, running, slots, since, lastSeen } = worker;
  return (
    <tr>
      <th scope="row">
        {oneLine(host, 40)} <span class="dim">{id}</span>
        {login !== host && <p class="dim">login {oneLine(login, 40)}</p>}
      </th>
      <td>
        <State value={state} />
        {parked.map(({ provider, until }) => (
          <p key={provider}>
            {provider} is rate limited until <Until at={until} />
          </p>
        ))}
      </td>
      <td>
        {visible(roles.join(', '))}
        {labels.length > 0 && <p class="dim">has {visible(labels.join(', '))}</p>}
      </td>
      <td>
        {running.map((turn) => (
          <p key={turn}>
            <a href={link('turns', turn.split('/')[0] ?? '')} data-row>
              {oneLine(turn, 40)}
            </a>
          </p>
        ))}
      </td>
      <td class="number">{`${String(running.length)} of ${String(slots)}`}</td>
      <td>
        <Ago at={since} />
      </td>
      <td>{state === 'silent' && <Ago at={lastSeen} />}</td>
      <td>{(state === 'active' || state === 'paused') && <Orders id={id} state={state} />}</td>
    </tr>
  );
}

function Orders({ id, state }: { readonly id: string; readonly state: 'active' | 'paused' }) {
  const say = async (what: 'drain' | 'pause' | 'unpause') => {
    await order(id, what);
    notify('Ordered: the worker obeys within some seconds.');
  };
  return (
    <div class="actions">
      <ActButton act={() => say(state === 'paused' ? 'unpause' : 'pause')}>
        {state === 'paused' ? 'Continue' : 'Pause'}
      </ActButton>
      <ActButton sure="Let it end when its turns have ended" act={() => say('drain')}>
        Drain
      </ActButton>
    </div>
  );
}
