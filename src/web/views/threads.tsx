import { money } from '../../kernel/cost.ts';
import { useRef } from 'preact/hooks';
import { indent } from '../../kernel/thread-tree.ts';
import { at, threadsPath } from '../api/client.ts';
import { ActButton } from '../parts/form.tsx';
import { Empty, Loaded, Table, View } from '../parts/panel.tsx';
import { Ago, Facts, Id, Line, Price, Stands, State, Text, visible, Why } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { link, query, refine } from '../state/route.ts';
import { Conversation } from './conversation.tsx';
import { say } from './roles.tsx';
import { Landings, Work } from './work.tsx';
import type { Shown } from '../../documents/mail.ts';
import type { Overview, ThreadRow } from '../../documents/status.ts';

/** The number of rows that a list shows before it is asked for more. */
const pageSize = 100;

export function Threads() {
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
      <List filter={{ q: wanted, state }} />
    </View>
  );
}

/** What the list shows of all threads, as the address of the API takes it. */
type Filter = Readonly<Record<'q' | 'state', string>>;

/** One row more than a part shows says that there is another part. */
function partPath(filter: Filter, after = ''): string {
  return threadsPath({ ...filter, after, limit: pageSize + 1 });
}

function List({ filter }: { readonly filter: Filter }) {
  const live = useLive<readonly ThreadRow[]>(partPath(filter));
  return (
    <Loaded live={live}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty>There is no such thread.</Empty>
        ) : (
          <Table
            caption="Threads, newest first, each with its sub-threads below it"
            names={['Subject', 'State', '#Messages', '#Turns', '#Cost', 'Opened']}
          >
            <Part rows={rows} filter={filter} shown={Number(query.value.get('show') ?? pageSize)} />
          </Table>
        )
      }
    </Loaded>
  );
}

interface PartProps {
  readonly rows: readonly ThreadRow[];
  readonly filter: Filter;
  /** How many rows are shown from this part on. */
  readonly shown: number;
}

/** A part of the list, and the parts behind it: each is read again only where it has changed. */
function Part({ rows, filter, shown }: PartProps) {
  const own = rows.slice(0, pageSize);
  const last = rows.length > pageSize ? own.at(-1) : undefined;
  return (
    <>
      <tbody>
        {own.map((thread) => (
          <Row key={thread.id} thread={thread} />
        ))}
      </tbody>
      {last !== undefined && shown > pageSize && (
        <NextPart after={last.id} filter={filter} shown={shown - pageSize} />
      )}
      {last !== undefined && shown <= pageSize && <MoreRow />}
    </>
  );
}

/** What was shown stays until the part behind another thread has arrived. */
function NextPart({ after, ...of }: Omit<PartProps, 'rows'> & { readonly after: string }) {
  const found = useLive<readonly ThreadRow[]>(partPath(of.filter, after)).value.value;
  const before = useRef<readonly ThreadRow[]>([]);
  if (found !== null) before.current = found;
  return <Part rows={before.current} {...of} />;
}

function MoreRow() {
  const shown = Number(query.value.get('show') ?? pageSize);
  return (
    <tbody>
      <tr>
        <td colSpan={6}>
          <button type="button" onClick={() => refine('show', String(shown + pageSize))}>
            Show more
          </button>
        </td>
      </tr>
    </tbody>
  );
}

function Row({ thread }: { readonly thread: ThreadRow }) {
  const { id, depth, subject, standing, why, messages, turns, cost, opened } = thread;
  return (
    <tr>
      <th scope="row">
        {depth > 0 && (
          <span class="dim" aria-hidden="true">
            {indent(depth).replaceAll(' ', '\u00a0')}
          </span>
        )}
        <a href={link('threads', id)} data-row>
          <Line value={subject} limit={120} />
        </a>
      </th>
      <td>
        <Stands standing={standing} /> {why !== null && <Line value={why.reason} limit={140} />}
      </td>
      <td class="number">{messages}</td>
      <td class="number">{turns}</td>
      <td class="number">
        <Price cost={cost} />
      </td>
      <td>
        <Ago at={opened} />
      </td>
    </tr>
  );
}

/** Shows the next rows of a long list. */
function More({ total, shown }: { readonly total: number; readonly shown: number }) {
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
  const status = useLive<Overview>('/status');
  const rows = useLive<readonly ThreadRow[]>(threadsPath({ under: id, limit: pageSize })).value.value ?? [];
  const waiting = rows.find((thread) => thread.id === id);
  const children = rows.filter(({ parent }) => parent === id);
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
                [
                  'State',
                  waiting === undefined ? (
                    shown.thread && <State value={shown.thread.state} />
                  ) : (
                    <Stands standing={waiting.standing} />
                  ),
                ],
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

function SubThreads({ threads }: { readonly threads: readonly ThreadRow[] }) {
  return (
    <ul>
      {threads.map(({ id, subject, standing }) => (
        <li key={id}>
          <a href={link('threads', id)}>
            <Line value={subject} limit={120} />
          </a>{' '}
          <Stands standing={standing} />
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
