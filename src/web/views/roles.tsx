import type { ComponentChildren } from 'preact';
import { counted } from '../../kernel/enumerate.ts';
import { money } from '../../kernel/cost.ts';
import { shortId } from '../../kernel/ids.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { at, threadsPath } from '../api/client.ts';
import { ActButton, say } from '../parts/form.tsx';
import { Empty, Loaded, Panel, Table, View } from '../parts/panel.tsx';
import { Ago, Facts, Lasting, paid, Price, Sentence, Stands, State, Until, visible } from '../parts/text.tsx';
import { Why } from '../parts/why.tsx';
import { useLive } from '../state/live.ts';
import { useSubjects } from '../state/subjects.ts';
import { link } from '../state/route.ts';
import { needsYou } from '../state/tab.ts';
import { Protocol } from './protocol.tsx';
import { WaitGraph } from './wait-graph.tsx';
import { Landings } from './work.tsx';
import { OnWorker, Workers } from './workers.tsx';
import type { InboxDocument } from '../../documents/inbox.ts';
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
            <Team status={status} />
            <Landings landings={status.landings} />
            <Panel title="Who waits for whom">
              <WaitGraph roles={status.roles} />
            </Panel>
            <People roles={status.roles.filter(({ person }) => person)} />
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

/** The unfinished turns; those that wait for a person are in the inbox and with their roles. */
function Turns({ turns: all }: { readonly turns: readonly TurnStatus[] }) {
  const turns = all.filter(({ standing }) => standing.is !== 'needs you');
  const subjects = useSubjects(turns.map(({ thread }) => thread));
  return (
    <Panel title="At work">
      {turns.length === 0 ? (
        <Empty>No turn is at work.</Empty>
      ) : (
        <ul class="turns">
          {turns.map((turn) => (
            <li key={turn.id}>
              <a href={link('turns', turn.id)} data-row>
                <strong>{oneLine(turn.role, 40)}</strong>
              </a>{' '}
              <Stands standing={turn.standing} />{' '}
              <a href={link('threads', turn.thread)}>
                {oneLine(subjects.get(turn.thread) ?? shortId(turn.thread), 80)}
              </a>{' '}
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
              {turn.progress !== null && <span class="progress">{oneLine(turn.progress, 240)}</span>}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** Columns that are left out where no role has anything in them; `#`: of numbers. */
const columns: readonly (readonly [name: string, has: (role: RoleStatus) => boolean, Cell: OfRole])[] = [
  ['#Inbox', () => true, ({ role }) => <>{role.inbox}</>],
  ['Waits for', ({ waits }) => waits.length > 0, Waits],
  ['Owes an answer to', ({ owes }) => owes.length > 0, Debts],
  ['#Turns', () => true, ({ role }) => <>{role.turns}</>],
  ['#Cost', ({ cost }) => money(cost) !== '', ({ role }) => <Price cost={role.cost} isAlone />],
];

type OfRole = (props: { readonly role: RoleStatus }) => ComponentChildren;

/** The roles that agents have, each with why it does not move. */
function Team({ status }: { readonly status: Overview }) {
  const team = status.roles.filter(({ person }) => !person);
  if (team.length === 0) return <Empty>The protocol has no roles for agents.</Empty>;
  const shown = columns.filter(([, has]) => team.some(has));
  return (
    <Table
      caption="Roles and their waits"
      isStacked
      names={['Role', 'State', ...shown.map(([name]) => name), 'Actions']}
    >
      <tbody>
        {team.map((role) => (
          <tr key={role.name}>
            <th scope="row">
              <a href={link('roles', role.name)} data-row>
                {oneLine(role.name, 40)}
              </a>
            </th>
            <td>
              <Stands standing={role.standing} />
              <Needs role={role.name} turns={status.turns} />
              <WhyOf role={role} team={team} />
            </td>
            {shown.map(([name, , Cell]) => (
              <td
                key={name}
                class={name.startsWith('#') ? 'number' : undefined}
                data-name={name.replace('#', '')}
              >
                <Cell role={role} />
              </td>
            ))}
            <td>
              <PauseRole name={role.name} paused={status.paused} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** Why a role does not move; of several for the same reason the first says it. */
function WhyOf({
  role: { name, why },
  team,
}: {
  readonly role: RoleStatus;
  readonly team: readonly RoleStatus[];
}) {
  if (why === null) return null;
  const isSame = (other: RoleStatus['why']) => other?.reason === why.reason && other.command === why.command;
  const first = team.find((each) => isSame(each.why))?.name ?? name;
  if (first === name) return <Why why={why} target={name} />;
  return (
    <p class="dim">
      As {oneLine(first, 40)}. <a href={link('why', name)}>Why?</a>
    </p>
  );
}

function PauseRole({ name, paused }: { readonly name: string } & Pick<Overview, 'paused'>) {
  // While all are paused, one alone cannot continue.
  if (paused.all) return <ActButton act={() => say('', 'unpause')}>Continue all</ActButton>;
  const isPaused = paused.roles.includes(name);
  return (
    <ActButton act={() => say(at('roles', name), isPaused ? 'unpause' : 'pause')}>
      {isPaused ? 'Continue' : 'Pause'}
    </ActButton>
  );
}

/** What turns of a role wait for a person for, each with the way to its answer. */
function Needs({ role, turns }: { readonly role: string; readonly turns: readonly TurnStatus[] }) {
  const inbox = useLive<InboxDocument>('/inbox').value.value;
  const asking = turns.filter((turn) => turn.role === role && turn.standing.is === 'needs you');
  return (
    <>
      {asking.map(({ id, since }) => {
        const item = needsYou(inbox?.items ?? []).find(({ turn }) => turn === id);
        return (
          <p key={id}>
            <a href={item === undefined ? link('turns', id) : link('inbox', item.id)}>
              <Sentence value={item?.subject ?? `Turn ${id}`} limit={160} />
            </a>{' '}
            <span class="dim">
              for <Lasting from={since} />
            </span>
          </p>
        );
      })}
    </>
  );
}

function Waits({ role: { waits } }: { readonly role: RoleStatus }) {
  return (
    <>
      {waits.map((wait) => (
        <p key={wait.messages.join()}>
          <a href={link('threads', wait.thread)}>{visible(wait.roles.join(', '))}</a>{' '}
          <span class="dim">({visible(wait.types.join(', '))})</span> for <Lasting from={wait.since} />
          {wait.deadline !== null && (
            <>
              , until <Until at={wait.deadline} />
            </>
          )}
        </p>
      ))}
    </>
  );
}

function Debts({ role: { owes } }: { readonly role: RoleStatus }) {
  return (
    <>
      {owes.map((debt) => (
        <p key={debt.message}>
          {visible(debt.to)}: <a href={link('messages', debt.message)}>{oneLine(debt.subject, 60)}</a>
        </p>
      ))}
    </>
  );
}

/** The roles that people have: they answer in the inbox, and cannot be paused. */
function People({ roles }: { readonly roles: readonly RoleStatus[] }) {
  if (roles.length === 0) return null;
  const debts = roles.flatMap(({ owes }) => owes).length;
  return (
    <details class="panel definition">
      <summary>{debts === 0 ? 'People' : `People, who owe ${counted(debts, 'answer')}`}</summary>
      <ul class="lines">
        {roles.map((role) => (
          <li key={role.name}>
            <strong>{oneLine(role.name, 40)}</strong> <Stands standing={role.standing} /> <Owed role={role} />
            <Waits role={role} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** How many answers a person owes, as the way to the inbox. */
function Owed({ role: { owes } }: { readonly role: RoleStatus }) {
  if (owes.length === 0) return null;
  return <a href={link('inbox')}>{`owes ${counted(owes.length, 'answer')}`}</a>;
}

/** One role: how it stands, why it does not move, and its threads. */
export function Role({ name }: { readonly name: string }) {
  const live = useLive<Overview>('/status');
  const { roles, paused } = live.value.value ?? {};
  const found = roles?.find((each) => each.name === name);
  return (
    <View
      title={oneLine(name, 60)}
      tab={found === undefined ? name : `${name}, ${found.standing.word}`}
      actions={
        found?.person === false && (
          <>
            {paused && <PauseRole name={name} paused={paused} />}
            <a class="button" href={link('send', name)}>
              Give it a task
            </a>
          </>
        )
      }
    >
      <Loaded live={live}>
        {(status) =>
          found === undefined ? (
            <Empty>There is no role of this name.</Empty>
          ) : (
            <OneRole role={found} status={status} />
          )
        }
      </Loaded>
    </View>
  );
}

function OneRole({ role, status }: { readonly role: RoleStatus; readonly status: Overview }) {
  const turns = status.turns.filter((turn) => turn.role === role.name);
  return (
    <>
      <div>
        <Stands standing={role.standing} />
        <Needs role={role.name} turns={turns} />
        {role.why !== null && <Why why={role.why} target={role.name} />}
        {role.why === null && !role.person && (
          <>
            {' '}
            <a href={link('why', role.name)}>Why?</a>
          </>
        )}
        {role.person && ' '}
        {role.person && <Owed role={role} />}
      </div>
      <Facts
        of={[
          ['In its inbox', role.inbox],
          ['Waits for', role.waits.length > 0 && <Waits role={role} />],
          ['Owes an answer to', !role.person && role.owes.length > 0 && <Debts role={role} />],
          ['Turns', role.turns],
          ['Cost', paid(role.cost)],
        ]}
      />
      {!role.person && <Turns turns={turns} />}
      <Landings landings={status.landings.filter((landing) => landing.role === role.name)} />
      <RoleThreads status={status} name={role.name} />
    </>
  );
}

function RoleThreads({ status, name }: { readonly status: Overview; readonly name: string }) {
  const role = status.roles.find((each) => each.name === name);
  const ids = new Set([
    ...(role?.waits.map(({ thread }) => thread) ?? []),
    ...status.turns.filter((turn) => turn.role === name).map(({ thread }) => thread),
  ]);
  // So many ids fit into an address.
  const path = ids.size === 0 ? null : threadsPath({ ids: [...ids].slice(0, 100).join(',') });
  const threads = useLive<readonly ThreadRow[]>(path).value.value;
  if (!threads?.length) return null;
  return (
    <Panel title="Threads that it works on or waits in">
      <ul class="lines">
        {threads.map(({ id, subject, opened }) => (
          <li key={id}>
            <a href={link('threads', id)} data-row>
              {oneLine(subject, 120)}
            </a>{' '}
            <Ago at={opened} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
