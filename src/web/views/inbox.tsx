import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { oneLine } from '../../kernel/one-line.ts';
import { listPath } from '../api/client.ts';
import { limitOf, More, shownRows } from '../parts/filters.tsx';
import { CardLink, Detail, isWide, Panes } from '../parts/panes.tsx';
import { Empty, Loaded, View } from '../parts/panel.tsx';
import { Ago, CommandLine, Sentence, Stands, State, Until } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { now, past, showNow } from '../state/past.ts';
import { go, link, parts } from '../state/route.ts';
import { entriesOf, itemNamed, nextAfter, standingOf, type Entry } from '../waiting.ts';
import { Asked, ItemTitle } from './item.tsx';
import { isSettled, PutAway, settle } from './put-away.tsx';
import { RunCard } from './runs.tsx';
import type { HandledItem, InboxDocument, InboxItem } from '../../documents/inbox.ts';
import type { RunSummary } from '../../documents/runs.ts';
import type { Overview } from '../../documents/status.ts';

/** Everything that waits for a person, and the selected one with its context and its answer. */
export function Inbox({ id }: { readonly id: string | null }) {
  const live = useLive<InboxDocument>('/inbox');
  const isDone = id === 'done';
  if (past.value !== null) return <WithoutPast />;
  return (
    <View
      title="Inbox"
      actions={
        <>
          <a class="button" href={isDone ? link('inbox') : link('inbox', 'done')}>
            {isDone ? 'Waiting' : 'Done'}
          </a>
          <a class="button primary" href={link('send')}>
            New task
          </a>
        </>
      }
    >
      {isDone ? (
        <Done />
      ) : (
        <Loaded live={live}>
          {({ items }) => <Waiting items={items.filter((item) => !isSettled(item))} id={id} />}
        </Loaded>
      )}
    </View>
  );
}

function WithoutPast() {
  return (
    <View title="Inbox">
      <Empty>
        The inbox has no past: what needs you is that of now.{' '}
        <button type="button" onClick={showNow}>
          Back to now
        </button>
      </Empty>
    </View>
  );
}

/** Where there is room, the first thing that waits is chosen at once. */
function Waiting({ items, id }: { readonly items: readonly InboxItem[]; readonly id: string | null }) {
  const first = isWide.value ? items.find(({ kind }) => kind !== 'notice') : undefined;
  const chosen = id === null ? (first ?? null) : itemNamed(items, id);
  const panes = (
    <Panes
      name="inbox"
      back={link('inbox')}
      list={<List items={items} chosen={chosen} />}
      detail={
        chosen !== null ? (
          <Chosen key={chosen.id} item={chosen} isAsked={id !== null} items={items} />
        ) : (
          id !== null && <Settled key={id} id={id} />
        )
      }
    />
  );
  return items.length === 0 && id === null ? <FirstSteps otherwise={panes} /> : panes;
}

interface ChosenProps {
  readonly item: InboxItem;
  /** A person has chosen it. */
  readonly isAsked: boolean;
  readonly items: readonly InboxItem[];
}

function Chosen({ item, isAsked, items }: ChosenProps) {
  const here = parts.value;
  const done = () => {
    const next = nextAfter(items, item);
    settle([item]);
    // A person who has gone elsewhere meanwhile stays there.
    if (String(parts.value) === String(here)) go(link('inbox', ...(next === null ? [] : [next.id])));
  };
  return (
    <Detail
      title={<ItemTitle item={item} />}
      isAsked={isAsked}
      actions={item.kind === 'notice' && <PutAway items={[item]} done={done} isLabelled />}
    >
      <Asked item={item} done={done} />
    </Detail>
  );
}

interface ListProps {
  readonly items: readonly InboxItem[];
  readonly chosen: InboxItem | null;
}

function List({ items, chosen }: ListProps) {
  const notices = items.filter(isNews);
  const [first, last] = [items.filter((item) => !isNews(item)), notices].map(entriesOf);
  return (
    <>
      {items.length === notices.length && (
        <p class="empty" role="status">
          Nothing waits for you. <a href={link('send')}>Give a role a task</a>, or see{' '}
          <a href={link('roles')}>who is at work</a>.
        </p>
      )}
      <Rows name="Waiting for you" entries={first} chosen={chosen} />
      <FailedRuns />
      <Rows name="Notices" entries={last} chosen={chosen} />
      {notices.length > 1 && (
        <p>
          <PutAway items={notices} isLabelled>{`Put all ${String(notices.length)} notices away`}</PutAway>
        </p>
      )}
    </>
  );
}

/** A notice that only informs. */
function isNews({ kind, turn }: InboxItem): boolean {
  return kind === 'notice' && turn === null;
}

interface RowsProps extends Pick<ListProps, 'chosen'> {
  readonly name: string;
  readonly entries: readonly Entry[] | undefined;
}

function Rows({ name, entries = [], chosen }: RowsProps) {
  if (entries.length === 0) return null;
  return (
    <ul class="cards" aria-label={name}>
      {entries.map((entry) => (
        <Row
          key={entry.is === 'one' ? entry.item.id : `alike ${entry.items[0].id}`}
          entry={entry}
          chosen={chosen}
        />
      ))}
    </ul>
  );
}

/** What went wrong this week and was not put right: workflows whose newest run has failed. */
function FailedRuns() {
  const since = new Date(now.value - 7 * 24 * 3_600_000).toISOString().slice(0, 10);
  const failed = useLive<readonly RunSummary[]>(
    `/workflow-runs?newest=true&standing=failed&since=${since}T00:00:00Z&limit=20`,
  ).value.value;
  if (failed === null || failed.length === 0) return null;
  return (
    <>
      <p class="also">Failed this week, and not run again since</p>
      <ul class="cards" aria-label="Failed runs">
        {failed.map((run) => (
          <RunCard key={run.run} of={run} />
        ))}
      </ul>
    </>
  );
}

function Row({ entry, chosen }: { readonly entry: Entry; readonly chosen: InboxItem | null }) {
  if (entry.is === 'alike') return <Alike items={entry.items} chosen={chosen} />;
  const { item } = entry;
  return (
    <li class="waiting-row">
      <Card item={item} isOpen={item.id === chosen?.id} />
      {item.kind === 'notice' && <PutAway items={[item]} />}
    </li>
  );
}

/** Notices that say the same: one row with their number, which shows them on demand. */
function Alike({
  items,
  chosen,
}: { readonly items: readonly [InboxItem, ...InboxItem[]] } & Pick<ListProps, 'chosen'>) {
  const isUnfolded = useSignal(false);
  const isOpen = isUnfolded.value || items.some(({ id }) => id === chosen?.id);
  const [first] = items;
  return (
    <li class="waiting-row">
      <button
        type="button"
        class="card"
        data-row
        aria-expanded={isOpen}
        onClick={() => (isUnfolded.value = !isUnfolded.value)}
      >
        <Heading item={first}>
          <span class="count">{items.length}</span>
        </Heading>
        <span>{oneLine(first.subject.split(':', 1)[0] ?? '', 160)}</span>
      </button>
      <PutAway items={items} />
      {isOpen && (
        <ul class="cards nested" aria-label="Alike notices">
          {items.map((item) => (
            <li key={item.id} class="waiting-row">
              <Card item={item} isOpen={item.id === chosen?.id} />
              <PutAway items={[item]} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function Card({ item, isOpen }: { readonly item: InboxItem; readonly isOpen: boolean }) {
  const { thread_subject: task, subject, deadline, escalated_from: escalated } = item;
  return (
    <CardLink to={link('inbox', item.id)} isChosen={isOpen}>
      <Heading item={item} />
      {isNews(item) ? (
        <span>{oneLine(subject, 160)}</span>
      ) : (
        <strong>
          <Sentence value={subject} limit={160} />
        </strong>
      )}
      {task !== null && !subject.includes(task) && <span class="task">{oneLine(task, 120)}</span>}
      {escalated !== null && <span class="escalated">Escalated from {oneLine(escalated, 40)}</span>}
      {deadline !== null && (
        <span class="deadline">
          Due <Until at={deadline} />
        </span>
      )}
    </CardLink>
  );
}

/** How an item stands, who sent it, and when. */
function Heading({ item, children }: { readonly item: InboxItem; readonly children?: ComponentChildren }) {
  return (
    <span class="row">
      {isNews(item) ? <State value="notice" /> : <Stands standing={standingOf(item)} />}
      {children}
      <span class="from">{oneLine(item.from, 60)}</span>
      {item.since !== null && <Ago at={item.since} isShort />}
    </span>
  );
}

/** What was put away or answered, newest first: each leads to its message. */
function Done() {
  const shown = shownRows();
  const live = useLive<readonly HandledItem[]>(listPath('inbox/done', { limit: limitOf(shown) }), 'now');
  return (
    <Loaded live={live}>
      {(items) => (
        <>
          {items.length === 0 && <Empty>Nothing was put away or answered yet.</Empty>}
          <ul class="cards" aria-label="Done">
            {items.slice(0, shown).map(({ id, from, subject, since, thread_subject: task, answer }) => (
              <li key={id}>
                <CardLink to={link('messages', id)} isChosen={false}>
                  <span class="row">
                    <span class="from">{oneLine(from, 60)}</span>
                    {since !== null && <Ago at={since} isShort />}
                  </span>
                  <span>{oneLine(subject, 160)}</span>
                  {task !== null && !subject.includes(task) && <span class="task">{oneLine(task, 120)}</span>}
                  {answer !== null && (
                    <span>
                      Answered <Ago at={answer.at} />: {oneLine(answer.text, 160)}
                    </span>
                  )}
                </CardLink>
              </li>
            ))}
          </ul>
          {items.length > shown && <More />}
        </>
      )}
    </Loaded>
  );
}

/** The item has left the inbox: it was answered here, elsewhere, or its time is over. */
function Settled({ id }: { readonly id: string }) {
  const [name, to] = placeOf(id);
  return (
    <Detail title="Settled">
      <p>This does not wait for you any more.</p>
      <p>
        <a href={to}>See the {name}</a>
        {' · '}
        <a href={link('inbox')}>Back to the inbox</a>
      </p>
    </Detail>
  );
}

/** What an item of the inbox is about: `<run>/<gate>` a run, `t12` work that was to land. */
function placeOf(id: string): readonly [name: string, to: string] {
  const [run = '', gate] = id.split('/');
  if (gate !== undefined) return ['run', link('runs', run)];
  return /^t\d+$/.test(id) ? ['turn', link('turns', id)] : ['message', link('messages', id)];
}

interface FirstStepsProps {
  /** What is shown where something has happened. */
  readonly otherwise: ComponentChildren;
}

/** What a person can do with a project in which nothing has happened yet. */
function FirstSteps({ otherwise }: FirstStepsProps) {
  const status = useLive<Overview>('/status').value.value;
  if (status === null) return <p class="empty loading">Loading …</p>;
  if (status.begun !== null || status.recorded > 0) return otherwise;
  return <WithoutMail isWorking={status.controller !== null} otherwise={otherwise} />;
}

function WithoutMail({ isWorking, otherwise }: { readonly isWorking: boolean } & FirstStepsProps) {
  const runs = useLive<readonly RunSummary[]>('/workflow-runs?limit=1').value.value;
  if (runs === null) return <p class="empty loading">Loading …</p>;
  if (runs.length > 0) return otherwise;
  return (
    <section class="panel first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">Begin here</h2>
      <p>Nothing has happened in this project yet. What Mailroom does with a task:</p>
      <ul>
        <li>A role of your team gets it. Its agent reads it, and works in a folder of this project.</li>
        <li>Roles hand work on by messages. What needs you comes here: questions, approvals, conflicts.</li>
        <li>What was said, done and paid stays in this project, in files that you can read.</li>
      </ul>
      {!isWorking && (
        <>
          <p>Start the team. What you send before that waits for it.</p>
          <CommandLine value="mailroom up" />
        </>
      )}
      <div class="actions">
        <a class="button primary" href={link('send')}>
          Send a task
        </a>
        <a class="button" href={link('workflows')}>
          Start a workflow
        </a>
        <a class="button" href="/docs/tutorial.md" target="_blank" rel="noreferrer">
          Open the tutorial
        </a>
      </div>
    </section>
  );
}
