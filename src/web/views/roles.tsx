import { shortId } from '../../kernel/ids.ts';
import { at, threadsPath } from '../api/client.ts';
import { ActButton, say } from '../parts/form.tsx';
import { Empty, Loaded, Panel, Table, View } from '../parts/panel.tsx';
import { Ago, Lasting, Line, Price, Sentence, State, Until, visible } from '../parts/text.tsx';
import { Why } from '../parts/why.tsx';
import { useLive } from '../state/live.ts';
import { link } from '../state/route.ts';
import { Protocol } from './protocol.tsx';
import { WaitGraph } from './wait-graph.tsx';
import { Landings } from './work.tsx';
import { OnWorker, Workers } from './workers.tsx';
import type { Overview, RoleStatus, ThreadRow, TurnStatus } from '../../documents/status.ts';

/** Who works, who waits for whom since when, and what is wrong. */
export function Roles() {
  const live = useLive<Overview>('/status');
  return (
    <View title="Roles" actions={<PauseAll status={live.value.value} />}>
      <Loaded live={live}>
        {(status) => (
          <>
            <Problems status={status} />
            <Turns turns={status.turns} />
            <Landings landings={status.landings} />
            <Panel title="Who waits for whom">
              <WaitGraph roles={status.roles} />
            </Panel>
            <Rows status={status} />
            <Workers workers={status.workers} />
            <Protocol />
          </>
        )}
      </Loaded>
    </View>
  );
}

function PauseAll({ status }: { readonly status: Overview | null }) {
  if (status === null) return null;
  const verb = status.paused.all ? 'unpause' : 'pause';
  return (
    <ActButton act={() => say('', verb)}>
      {status.paused.all ? 'Continue all roles' : 'Pause all roles'}
    </ActButton>
  );
}

function Problems({ status }: { readonly status: Overview }) {
  const { at: then, problems, parked, controller, protocol_changed: isChanged } = status;
  const lines = [
    ...(controller === null && then === null
      ? ['No controller runs: mail does not move. Start one with `mailroom up`.']
      : []),
    ...(isChanged ? ['The protocol was edited since the controller read it, and is not used yet.'] : []),
    ...problems,
  ];
  if (lines.length === 0 && parked.length === 0) return null;
  return (
    <ul class="problems">
      {lines.map((line) => (
        <li key={line}>
          <State value="problem" /> <Sentence value={line} />
        </li>
      ))}
      {parked.map(({ provider, until }) => (
        <li key={provider}>
          <State value="parked" /> {provider} is rate limited until <Until at={until} />
        </li>
      ))}
    </ul>
  );
}

function Turns({ turns }: { readonly turns: readonly TurnStatus[] }) {
  return (
    <Panel title="At work">
      {turns.length === 0 ? (
        <Empty>No role is at work.</Empty>
      ) : (
        <ul class="turns">
          {turns.map((turn) => (
            <li key={turn.id}>
              <a href={link('turns', turn.id)} data-row>
                <strong>
                  <Line value={turn.role} limit={40} />
                </strong>
              </a>{' '}
              <State value={turn.state} />
              <span class="dim">
                {turn.provider}
                <OnWorker worker={turn.worker} />
                {turn.instead_of !== null && ` instead of ${turn.instead_of}`}
                {turn.attempt > 1 && `, attempt ${String(turn.attempt)}`}
                {turn.round > 0 && `, correction ${String(turn.round)}`}, for <Lasting from={turn.since} />
                {turn.again !== null && (
                  <>
                    , again <Until at={turn.again} />
                  </>
                )}
              </span>
              {turn.progress !== null && (
                <span class="progress">
                  <Line value={turn.progress} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Rows({ status }: { readonly status: Overview }) {
  const paused = new Set(status.paused.roles);
  return (
    <Table
      caption="Roles and their waits"
      names={['Role', 'State', '#Inbox', 'Waits for', 'Owes an answer to', '#Turns', '#Cost', 'Actions']}
    >
      <tbody>
        {status.roles.map((role) => (
          <Row key={role.name} role={role} isPaused={paused.has(role.name)} />
        ))}
      </tbody>
    </Table>
  );
}

function Row({ role, isPaused }: { readonly role: RoleStatus; readonly isPaused: boolean }) {
  const { name, state, inbox, waits, owes, turns, cost, why } = role;
  return (
    <tr>
      <th scope="row">
        <a href={link('roles', name)} data-row>
          <Line value={name} limit={40} />
        </a>
      </th>
      <td>
        <State value={state} />
        {why !== null && <Why why={why} target={name} />}
      </td>
      <td class="number">{inbox}</td>
      <td>
        {waits.map((wait) => (
          <p key={wait.messages.join()}>
            {visible(wait.roles.join(', '))} <span class="dim">({visible(wait.types.join(', '))})</span> for{' '}
            <Lasting from={wait.since} />
            {wait.deadline !== null && (
              <>
                , until <Until at={wait.deadline} />
              </>
            )}
          </p>
        ))}
      </td>
      <td>
        {owes.map((debt) => (
          <p key={debt.message}>
            {visible(debt.to)}: <a href={link('messages', debt.message)}>{shortId(debt.message)}</a>{' '}
            <Line value={debt.subject} limit={60} />
          </p>
        ))}
      </td>
      <td class="number">{turns}</td>
      <td class="number">
        <Price cost={cost} />
      </td>
      <td>
        <ActButton act={() => say(at('roles', name), isPaused ? 'unpause' : 'pause')}>
          {isPaused ? 'Continue' : 'Pause'}
        </ActButton>
      </td>
    </tr>
  );
}

/** One role: its state, why it does not move, and its threads. */
export function Role({ name }: { readonly name: string }) {
  const live = useLive<Overview>('/status');
  return (
    <View
      title={<Line value={name} limit={60} />}
      actions={
        <a class="button" href={link('send', name)}>
          Give it a task
        </a>
      }
    >
      <Loaded live={live}>
        {(status) => {
          const role = status.roles.find((each) => each.name === name);
          if (role === undefined) return <Empty>There is no role of this name.</Empty>;
          return (
            <>
              <p>
                <State value={role.state} /> <a href={link('why', name)}>Why?</a>
              </p>
              {role.why !== null && <Why why={role.why} />}
              <Turns turns={status.turns.filter((turn) => turn.role === name)} />
              <Landings landings={status.landings.filter((landing) => landing.role === name)} />
              <Rows status={{ ...status, roles: [role] }} />
              <RoleThreads status={status} name={name} />
            </>
          );
        }}
      </Loaded>
    </View>
  );
}

function RoleThreads({ status, name }: { readonly status: Overview; readonly name: string }) {
  const role = status.roles.find((each) => each.name === name);
  const ids = new Set([
    ...(role?.waits.map(({ thread }) => thread) ?? []),
    ...status.turns.filter((turn) => turn.role === name).map(({ thread }) => thread),
  ]);
  if (ids.size === 0) return null;
  return <ThreadLinks ids={[...ids].slice(0, mostLinks)} />;
}

/** So many ids fit into an address. */
const mostLinks = 100;

function ThreadLinks({ ids }: { readonly ids: readonly string[] }) {
  const threads = useLive<readonly ThreadRow[]>(threadsPath({ ids: ids.join(',') })).value.value ?? [];
  if (threads.length === 0) return null;
  return (
    <Panel title="Threads that it works on or waits in">
      <ul class="lines">
        {threads.map(({ id, subject, opened }) => (
          <li key={id}>
            <a href={link('threads', id)} data-row>
              <Line value={subject} limit={120} />
            </a>{' '}
            <Ago at={opened} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
