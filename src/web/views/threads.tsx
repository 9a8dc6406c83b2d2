import { counted } from '../../kernel/enumerate.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { Fragment } from 'preact';
import { useRef } from 'preact/hooks';
import { at, threadsPath } from '../api/client.ts';
import { ActButton, say } from '../parts/form.tsx';
import { Filters, limitOf, More, pageSize, shownRows, States } from '../parts/filters.tsx';
import { CardLink, Detail, Panes } from '../parts/panes.tsx';
import { Empty, Loaded, View } from '../parts/panel.tsx';
import {
  Ago,
  Facts,
  groups,
  Id,
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
import { inQuery, link, refined } from '../state/route.ts';
import { saved } from '../state/saved.ts';
import { standingOf } from '../waiting.ts';
import { Conversation } from './conversation.tsx';
import { Answer } from './item.tsx';
import { Landings } from './work.tsx';
import type { InboxDocument, InboxItem } from '../../documents/inbox.ts';
import type { Shown } from '../../documents/mail.ts';
import type { Overview, ThreadRow, ThreadStatus } from '../../documents/status.ts';

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

/** A part of the list, as the address restricts it. */
function partPath(after = ''): string {
  const [q, standing] = [inQuery('q'), inQuery('standing')];
  return threadsPath({ q, standing, order: 'standing', after, limit: limitOf(pageSize) });
}

function List({ chosen }: { readonly chosen: string | null }) {
  const live = useLive<readonly ThreadRow[]>(partPath());
  return (
    <>
      <Filters of="threads">
        <States />
      </Filters>
      <Loaded live={live}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>
              {inQuery('q') + inQuery('standing') === '' ? 'No thread yet.' : 'There is no such thread.'}
            </Empty>
          ) : (
            <ul
              class="cards threads"
              aria-label="Threads by state, newest first, each with its sub-threads below it"
            >
              <Part rows={rows} chosen={chosen} shown={shownRows()} before={undefined} />
            </ul>
          )
        }
      </Loaded>
    </>
  );
}

interface PartProps {
  readonly chosen: string | null;
  readonly rows: readonly ThreadRow[];
  /** How many rows are shown from this part on. */
  readonly shown: number;
  /** The last thread of the part before. */
  readonly before: ThreadRow | undefined;
}

/** A part of the list, and the parts behind it: each is read again only where it has changed. */
function Part({ rows, shown, before, ...of }: PartProps) {
  const own = rows.slice(0, pageSize);
  const last = rows.length > pageSize ? own.at(-1) : undefined;
  return (
    <>
      {own.map((thread, index) => {
        const { is } = thread.standing;
        return (
          <Fragment key={thread.id}>
            {is !== (own[index - 1] ?? before)?.standing.is && (
              <li class="also">
                <h2>{`${groups[is]} ${thread.alike?.toLocaleString('en') ?? ''}`}</h2>
              </li>
            )}
            <Row thread={thread} isOpen={thread.id === of.chosen} />
          </Fragment>
        );
      })}
      {last !== undefined && shown > pageSize && <NextPart before={last} {...of} shown={shown - pageSize} />}
      {last !== undefined && shown <= pageSize && (
        <li>
          <More />
        </li>
      )}
    </>
  );
}

/** What was shown stays until the part behind another thread has arrived. */
function NextPart(of: Omit<PartProps, 'rows'>) {
  const found = useLive<readonly ThreadRow[]>(partPath(of.before?.id)).value.value;
  const known = useRef<readonly ThreadRow[]>([]);
  if (found !== null) known.current = found;
  return <Part rows={known.current} {...of} />;
}

/** The filter stays while threads are chosen. */
function Row({ thread, isOpen }: { readonly thread: ThreadRow; readonly isOpen: boolean }) {
  const { id, depth, subject, standing, why, failed, messages, cost, latest } = thread;
  const who = useWho(thread);
  const [, filter = ''] = refined({ at: '' }).split('?');
  const to = `${link('threads', id)}${filter === '' ? '' : `?${filter}`}`;
  return (
    <li class={depth > 0 ? `depth-${String(Math.min(depth, 4))}` : undefined}>
      <CardLink to={to} isChosen={isOpen}>
        <strong>{oneLine(subject, 120)}</strong>
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
          <span>{counted(messages, 'message')}</span>
          <Price cost={cost} isAlone />
          <Ago at={latest} />
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
  const found = useLive<readonly ThreadRow[]>(
    threadsPath(saved === null ? { under: id, limit: pageSize } : { ids: id }),
  );
  const isPending = saved === null && found.value.value === null && found.problem.value === null;
  const rows = found.value.value ?? [];
  const own = rows.find((thread) => thread.id === id) ?? null;
  const children = rows.filter(({ parent }) => parent === id);
  const { question, others } = useAsked(id);
  const isPaused = status?.paused.threads.includes(id) === true;
  const landings = status?.landings.filter(({ thread }) => thread === id) ?? [];
  return (
    <Loaded live={live}>
      {(shown) =>
        // What can be done comes with the text, not a moment after it.
        shown.kind !== 'thread' || isPending ? null : (
          <Detail
            title={oneLine(shown.thread?.subject ?? shown.messages[0]?.subject ?? 'Thread', 160)}
            actions={
              saved === null && (
                <ThreadActions id={id} isOpen={shown.thread?.state === 'open'} isPaused={isPaused} />
              )
            }
          >
            <About id={id} thread={shown.thread} row={own} sub={children} />
            <Waits items={others} />
            {own?.why != null && question === undefined && <Why why={own.why} target={id} />}
            <Landings landings={landings} />
            <Conversation messages={shown.messages} turns={shown.turns} />
            {question !== undefined && <Answer key={question.id} item={question} />}
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
  const failed = row?.why?.cause?.record === thread?.failed_turn ? null : thread?.failed_turn;
  return (
    <Facts
      of={[
        ['State', state],
        ['Reason', reason && oneLine(reason.text, 400)],
        ['Opened by', thread?.parent != null && <ThreadLink id={thread.parent} />],
        ['Sub-threads', sub.length > 0 && <SubThreads threads={sub} />],
        ['Failed turn', failed && <a href={link('turns', failed)}>{`${failed} and its output`}</a>],
        ['Opened', thread && <Ago at={thread.opened} />],
        ['Last message', thread && <Ago at={thread.latest} />],
        ['Cost', thread && paid(thread.cost)],
        ['Worktree', thread?.worktree && <code>{visible(thread.worktree)}</code>],
        ['Thread', <Id value={id} />],
      ]}
    />
  );
}

/** What of a thread waits for a person: the only question, and what is answered elsewhere. */
function useAsked(thread: string) {
  const inbox = useLive<InboxDocument>('/inbox').value.value;
  const all = past.value === null ? (inbox?.items ?? []) : [];
  const items = all.filter((item) => item.thread === thread && item.kind !== 'notice');
  const question = items.length === 1 && items[0]?.kind === 'request' ? items[0] : undefined;
  return { question, others: question === undefined ? items : [] };
}

/** What waits for a person: each leads to its answer. */
function Waits({ items }: { readonly items: readonly InboxItem[] }) {
  if (items.length === 0) return null;
  return (
    <ul class="waits">
      {items.map((item) => (
        <li key={item.id}>
          {items.length > 1 && <Stands standing={standingOf(item)} />}{' '}
          <a href={link('inbox', item.id)}>{oneLine(item.subject, 160)}</a>
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
          <a href={link('threads', id)}>{oneLine(subject, 120)}</a> <Stands standing={standing} />
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
          <ActButton kind="quiet" sure="Cancel this thread" act={() => say(at('threads', id), 'cancel')}>
            Cancel
          </ActButton>
        </>
      )}
    </>
  );
}
