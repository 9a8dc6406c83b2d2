import { counted } from '../../kernel/enumerate.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { useRef } from 'preact/hooks';
import { at, threadsPath } from '../api/client.ts';
import { ActButton, say } from '../parts/form.tsx';
import { CardLink, Detail, Panes } from '../parts/panes.tsx';
import { Empty, Loaded, View } from '../parts/panel.tsx';
import {
  Ago,
  Facts,
  Id,
  Line,
  paid,
  Price,
  Sentence,
  Stands,
  State,
  Until,
  visible,
} from '../parts/text.tsx';
import { useReason, Why } from '../parts/why.tsx';
import { useLive } from '../state/live.ts';
import { past } from '../state/past.ts';
import { link, query, refine, refined } from '../state/route.ts';
import { saved } from '../state/saved.ts';
import { standingOf } from '../waiting.ts';
import { Conversation } from './conversation.tsx';
import { Landings } from './work.tsx';
import type { InboxDocument } from '../../documents/inbox.ts';
import type { Shown } from '../../documents/mail.ts';
import type { Overview, ThreadRow, ThreadStatus } from '../../documents/status.ts';

/** The number of rows that a list shows before it is asked for more. */
const pageSize = 100;

/** The list of threads, and the chosen one beside it. */
export function Threads({ id }: { readonly id: string | null }) {
  if (saved !== null) return <View title="Thread">{id !== null && <Thread id={id} />}</View>;
  return (
    <View
      title="Threads"
      actions={
        <a class="button primary" href={link('send')}>
          New task
        </a>
      }
    >
      <Panes
        name="threads"
        back={link('threads')}
        list={<List chosen={id} />}
        detail={id !== null && <Thread key={id} id={id} />}
      />
    </View>
  );
}

/** What the list shows of all threads, as the address of the API takes it. */
type Filter = Readonly<Record<'q' | 'standing', string>>;

/** One row more than a part shows says that there is another part. */
function partPath(filter: Filter, after = ''): string {
  return threadsPath({ ...filter, after, limit: pageSize + 1 });
}

function List({ chosen }: { readonly chosen: string | null }) {
  const [q, standing] = [query.value.get('q') ?? '', query.value.get('standing') ?? ''];
  const filter = { q, standing };
  return (
    <>
      <div class="filters">
        <input
          type="search"
          aria-label="Find threads by subject"
          placeholder="Find by subject"
          value={q}
          onInput={(event) => refine('q', event.currentTarget.value)}
        />
        <select
          aria-label="State"
          value={standing}
          onChange={(event) => refine('standing', event.currentTarget.value)}
        >
          {['', 'needs you', 'working', 'waiting', 'failed', 'done'].map((each) => (
            <option key={each} value={each}>
              {each === '' ? 'Every state' : each}
            </option>
          ))}
        </select>
      </div>
      <Found filter={filter} chosen={chosen} />
    </>
  );
}

interface FoundProps {
  readonly filter: Filter;
  readonly chosen: string | null;
}

function Found({ filter, chosen }: FoundProps) {
  const live = useLive<readonly ThreadRow[]>(partPath(filter));
  return (
    <Loaded live={live}>
      {(rows) =>
        rows.length === 0 ? (
          <Empty>
            {filter.q === '' && filter.standing === '' ? 'No thread yet.' : 'There is no such thread.'}
          </Empty>
        ) : (
          <ul class="cards threads" aria-label="Threads, newest first, each with its sub-threads below it">
            <Part
              rows={rows}
              filter={filter}
              chosen={chosen}
              shown={Number(query.value.get('show') ?? pageSize)}
            />
          </ul>
        )
      }
    </Loaded>
  );
}

interface PartProps extends FoundProps {
  readonly rows: readonly ThreadRow[];
  /** How many rows are shown from this part on. */
  readonly shown: number;
}

/** A part of the list, and the parts behind it: each is read again only where it has changed. */
function Part({ rows, shown, ...of }: PartProps) {
  const own = rows.slice(0, pageSize);
  const last = rows.length > pageSize ? own.at(-1) : undefined;
  return (
    <>
      {own.map((thread) => (
        <Row key={thread.id} thread={thread} isOpen={thread.id === of.chosen} />
      ))}
      {last !== undefined && shown > pageSize && (
        <NextPart after={last.id} {...of} shown={shown - pageSize} />
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
    <li>
      <button type="button" onClick={() => refine('show', String(shown + pageSize))}>
        Show more
      </button>
    </li>
  );
}

/** The filter stays while threads are chosen. */
function Row({ thread, isOpen }: { readonly thread: ThreadRow; readonly isOpen: boolean }) {
  const { id, depth, subject, standing, why, failed, messages, turns, cost, opened } = thread;
  const who = useWho(thread);
  const [, filter = ''] = refined({ at: '' }).split('?');
  const to = `${link('threads', id)}${filter === '' ? '' : `?${filter}`}`;
  return (
    <li class={depth > 0 ? `depth-${String(Math.min(depth, 4))}` : undefined}>
      <CardLink to={to} isChosen={isOpen}>
        <strong>
          <Line value={subject} limit={120} />
        </strong>
        <span class="stands">
          <Stands standing={standing} />
          {who !== '' && <span>{who}</span>}
          {standing.until !== null && (
            <span class="deadline">
              until <Until at={standing.until} />
            </span>
          )}
          {why !== null && (
            <span class="reason">
              {failed === null ? <Reason why={why} /> : <Sentence value={failed.text} limit={140} />}
            </span>
          )}
        </span>
        <span class="row">
          <span>{`${counted(messages, 'message')}, ${counted(turns, 'turn')}`}</span>
          <Price cost={cost} isAlone />
          <Ago at={opened} />
        </span>
      </CardLink>
    </li>
  );
}

/** Who has a thread, else for whom it waits; empty: no one. */
function useWho({ id, standing, failed_by: by }: ThreadRow): string {
  const turns = useLive<Overview>('/status').value.value?.turns ?? [];
  const has = turns.filter(({ thread }) => thread === id).map(({ role }) => role);
  if (has.length === 0 && by !== null && standing.is === 'failed') has.push(by);
  const who = [...new Set(has.length > 0 ? has : standing.for)].join(', ');
  return oneLine(has.length > 0 || who === '' ? who : `for ${who}`, 80);
}

function Reason({ why }: { readonly why: NonNullable<ThreadRow['why']> }) {
  return <Sentence value={useReason(why)} limit={140} />;
}

/** One thread: why it waits, and its messages as a conversation. */
function Thread({ id }: { readonly id: string }) {
  const live = useLive<Shown>(at('threads', id));
  const status = useLive<Overview>('/status').value.value;
  const rows = useLive<readonly ThreadRow[]>(threadsPath({ under: id, limit: pageSize })).value.value ?? [];
  const own = rows.find((thread) => thread.id === id) ?? null;
  const children = rows.filter(({ parent }) => parent === id);
  const isPaused = status?.paused.threads.includes(id) === true;
  const landings = status?.landings.filter(({ thread }) => thread === id) ?? [];
  return (
    <Loaded live={live}>
      {(shown) =>
        shown.kind !== 'thread' ? null : (
          <Detail
            title={
              <Line value={shown.thread?.subject ?? shown.messages[0]?.subject ?? 'Thread'} limit={160} />
            }
            actions={
              saved === null && (
                <ThreadActions id={id} isOpen={shown.thread?.state === 'open'} isPaused={isPaused} />
              )
            }
          >
            <About id={id} thread={shown.thread} row={own} sub={children} />
            <Waits thread={id} />
            {own?.why != null && <Why why={own.why} target={id} />}
            <Landings landings={landings} />
            <Conversation messages={shown.messages} turns={shown.turns} />
          </Detail>
        )
      }
    </Loaded>
  );
}

interface AboutProps {
  readonly id: string;
  readonly thread: ThreadStatus | null;
  readonly row: ThreadRow | null;
  readonly sub: readonly ThreadRow[];
}

function About({ id, thread, row, sub }: AboutProps) {
  const state = row === null ? thread && <State value={thread.state} /> : <Stands standing={row.standing} />;
  // What does not move says why below, with what changes it; what is tried again has not failed.
  const isSaid = row?.why != null || row?.standing.is === 'working';
  const reason = isSaid ? null : (thread?.reason ?? thread?.failed);
  return (
    <Facts
      of={[
        ['State', state],
        ['Reason', reason && <Line value={reason.text} limit={400} />],
        ['Opened by', thread?.parent != null && <ThreadLink id={thread.parent} />],
        ['Sub-threads', sub.length > 0 && <SubThreads threads={sub} />],
        ['Opened', thread && <Ago at={thread.opened} />],
        ['Cost', thread && paid(thread.cost)],
        ['Worktree', thread?.worktree && <code>{visible(thread.worktree)}</code>],
        ['Thread', <Id value={id} />],
      ]}
    />
  );
}

/** What of the thread waits for a person: each leads to its answer. */
function Waits({ thread }: { readonly thread: string }) {
  const inbox = useLive<InboxDocument>('/inbox').value.value;
  if (past.value !== null) return null;
  const items = (inbox?.items ?? []).filter((item) => item.thread === thread && item.kind !== 'notice');
  if (items.length === 0) return null;
  return (
    <ul class="waits">
      {items.map((item) => (
        <li key={item.id}>
          {items.length > 1 && <Stands standing={standingOf(item)} />}{' '}
          <a href={link('inbox', item.id)}>
            <Line value={item.subject} limit={160} />
          </a>
        </li>
      ))}
    </ul>
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
