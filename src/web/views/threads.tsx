import { money } from '../../kernel/cost.ts';
import { asTree, indent } from '../../kernel/thread-tree.ts';
import { at } from '../api/client.ts';
import { ActButton } from '../parts/form.tsx';
import { Empty, Loaded, Table, View } from '../parts/panel.tsx';
import { Ago, Facts, Id, Line, Price, State, Text, visible, Why } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { link, query, refine } from '../state/route.ts';
import { Conversation } from './conversation.tsx';
import { say } from './roles.tsx';
import { Landings, Work } from './work.tsx';
import type { Shown } from '../../documents/mail.ts';
import type { StatusDocument, WaitingThread } from '../../documents/status.ts';

/** The number of rows that a list shows before it is asked for more. */
export const pageSize = 100;

export function Threads() {
  const live = useLive<StatusDocument>('/status');
  const [wanted, state] = [query.value.get('q') ?? '', query.value.get('state') ?? ''];
  return (
    <View
      title="Threads"
      actions={
        <a class="button primary" href={link('send')}>
          New task
        </a>
      }
    >
      <div class="filters">
        <input
          type="search"
          aria-label="Find threads by subject"
          placeholder="Find by subject"
          value={wanted}
          onInput={(event) => refine('q', event.currentTarget.value)}
        />
        <select
          aria-label="State"
          value={state}
          onChange={(event) => refine('state', event.currentTarget.value)}
        >
          {['', 'open', 'quiet', 'closed', 'failed'].map((each) => (
            <option key={each} value={each}>
              {each === '' ? 'Every state' : each}
            </option>
          ))}
        </select>
      </div>
      <Loaded live={live}>
        {({ threads }) => (
          <Rows
            threads={threads
              .filter(
                (thread) =>
                  (state === '' || thread.state === state) &&
                  thread.subject.toLowerCase().includes(wanted.toLowerCase()),
              )
              .toReversed()}
          />
        )}
      </Loaded>
    </View>
  );
}

function Rows({ threads }: { readonly threads: readonly WaitingThread[] }) {
  if (threads.length === 0) return <Empty>There is no such thread.</Empty>;
  const shown = Number(query.value.get('show') ?? pageSize);
  return (
    <Table
      caption="Threads, newest first, each with its sub-threads below it"
      names={['Subject', 'State', '#Messages', '#Turns', '#Cost', 'Opened']}
      after={<More total={threads.length} shown={shown} />}
    >
      <tbody>
        {asTree(threads)
          .slice(0, shown)
          .map(({ thread, depth }) => (
            <tr key={thread.id}>
              <th scope="row">
                {depth > 0 && (
                  <span class="dim" aria-hidden="true">
                    {indent(depth).replaceAll(' ', '\u00a0')}
                  </span>
                )}
                <a href={link('threads', thread.id)} data-row>
                  <Line value={thread.subject} limit={120} />
                </a>
              </th>
              <td>
                <State value={thread.state} />{' '}
                {thread.why !== null && <Line value={thread.why.reason} limit={140} />}
              </td>
              <td class="number">{thread.messages}</td>
              <td class="number">{thread.turns}</td>
              <td class="number">
                <Price cost={thread.cost} />
              </td>
              <td>
                <Ago at={thread.opened} />
              </td>
            </tr>
          ))}
      </tbody>
    </Table>
  );
}

/** Shows the next rows of a long list. */
export function More({ total, shown }: { readonly total: number; readonly shown: number }) {
  if (total <= shown) return null;
  return (
    <p class="more">
      {shown} of {total}{' '}
      <button type="button" onClick={() => refine('show', String(shown + 5 * pageSize))}>
        Show more
      </button>
    </p>
  );
}

/** One thread: why it waits, and its messages as a conversation. */
export function Thread({ id }: { readonly id: string }) {
  const live = useLive<Shown>(at('threads', id));
  const status = useLive<StatusDocument>('/status');
  const waiting = status.value.value?.threads.find((thread) => thread.id === id);
  const children = status.value.value?.threads.filter(({ parent }) => parent === id) ?? [];
  const isPaused = status.value.value?.paused.threads.includes(id) === true;
  const landings = status.value.value?.landings.filter(({ thread }) => thread === id) ?? [];
  return (
    <Loaded live={live} title="Thread">
      {(shown) =>
        shown.kind !== 'thread' ? null : (
          <View
            title={
              <Line value={shown.thread?.subject ?? shown.messages[0]?.subject ?? 'Thread'} limit={160} />
            }
            actions={<ThreadActions id={id} isOpen={shown.thread?.state === 'open'} isPaused={isPaused} />}
          >
            <Facts
              of={[
                ['Thread', <Id value={id} />],
                ['Opened by', shown.thread?.parent != null && <ThreadLink id={shown.thread.parent} />],
                ['Sub-threads', children.length > 0 && <SubThreads threads={children} />],
                ['State', shown.thread && <State value={shown.thread.state} />],
                ['Reason', shown.thread?.reason && <Line value={shown.thread.reason.text} limit={400} />],
                ['Opened', shown.thread && <Ago at={shown.thread.opened} />],
                ['Cost', shown.thread && money(shown.thread.cost)],
                ['Worktree', shown.thread?.worktree && <code>{visible(shown.thread.worktree)}</code>],
              ]}
            />
            {waiting?.why != null && <Why why={waiting.why} target={id} />}
            <Landings landings={landings} />
            <Conversation messages={shown.messages} turns={shown.turns} within={1} />
          </View>
        )
      }
    </Loaded>
  );
}

function ThreadLink({ id }: { readonly id: string }) {
  return (
    <a href={link('threads', id)}>
      <Id value={id} />
    </a>
  );
}

function SubThreads({ threads }: { readonly threads: readonly WaitingThread[] }) {
  return (
    <ul>
      {threads.map(({ id, subject, state }) => (
        <li key={id}>
          <a href={link('threads', id)}>
            <Line value={subject} limit={120} />
          </a>{' '}
          <State value={state} />
        </li>
      ))}
    </ul>
  );
}

function ThreadActions({
  id,
  isOpen,
  isPaused,
}: {
  readonly id: string;
  readonly isOpen: boolean;
  readonly isPaused: boolean;
}) {
  return (
    <>
      <a class="button" href={`${link('send')}?thread=${encodeURIComponent(id)}`}>
        Add a message
      </a>
      {isOpen && (
        <>
          <ActButton act={() => say(at('threads', id), isPaused ? 'unpause' : 'pause')}>
            {isPaused ? 'Continue' : 'Pause'}
          </ActButton>
          <ActButton
            kind="quiet"
            sure="Cancel this thread permanently"
            act={() => say(at('threads', id), 'cancel')}
          >
            Cancel
          </ActButton>
        </>
      )}
    </>
  );
}

/** One message: where its copies are, who still owes an answer, and its text. */
export function Message({ id }: { readonly id: string }) {
  const live = useLive<Shown>(at('messages', id));
  return (
    <Loaded live={live} title="Message">
      {(shown) =>
        shown.kind === 'message' ? (
          <Shows shown={shown} />
        ) : shown.kind === 'refused' ? (
          <Refused shown={shown} />
        ) : null
      }
    </Loaded>
  );
}

function Refused({ shown }: { readonly shown: Extract<Shown, { kind: 'refused' }> }) {
  return (
    <View title="Refused file">
      <Facts
        of={[
          ['File', <code>{visible(shown.path)}</code>],
          ['Reason', visible(shown.reason ?? '')],
        ]}
      />
      <Text value={shown.text} kind="code" />
    </View>
  );
}

function Shows({ shown }: { readonly shown: Extract<Shown, { kind: 'message' }> }) {
  const { message, copies, request } = shown;
  const hasFailed = copies.some((copy) => copy.at === 'failed' || copy.at === 'withdrawn');
  return (
    <View
      title={<Line value={message.subject} limit={160} />}
      actions={
        hasFailed && (
          <ActButton act={() => say(at('messages', message.id), 'retry')}>
            Put it back into the inbox
          </ActButton>
        )
      }
    >
      <p>
        <a href={link('threads', message.thread)}>The whole thread</a> ·{' '}
        <a href={link('why', message.id)}>Why does it not move?</a>
      </p>
      <Conversation messages={[message]} turns={[]} />
      {message.commit !== null && <Work of="messages" id={message.id} />}
      <Table caption="Copies" names={['Role', 'At', 'Turn', 'Reason']}>
        <tbody>
          {copies.map((copy) => (
            <tr key={copy.role}>
              <th scope="row">{visible(copy.role)}</th>
              <td>
                <State value={copy.at} />
              </td>
              <td>{copy.turn !== null && <a href={link('turns', copy.turn)}>{copy.turn}</a>}</td>
              <td>{copy.reason !== null && <Line value={copy.reason} limit={300} />}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      {request !== null && (
        <Facts
          of={request.asks.map(
            (ask) => [`Answer of ${visible(ask.recipient)}`, <State value={ask.state} />] as const,
          )}
        />
      )}
    </View>
  );
}
