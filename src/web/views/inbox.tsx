import { signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { oneLine } from '../../kernel/one-line.ts';
import { putAway } from '../api/actions.ts';
import { ActButton } from '../parts/form.tsx';
import { CardLink, Detail, Panes } from '../parts/panes.tsx';
import { Loaded, View } from '../parts/panel.tsx';
import { Ago, CommandLine, Line, Sentence, Stands, State, Until } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { past } from '../state/past.ts';
import { go, link } from '../state/route.ts';
import { isWide } from '../state/wide.ts';
import { entriesOf, itemNamed, nextAfter, standingOf, type Entry } from '../waiting.ts';
import { Asked, ItemTitle } from './item.tsx';
import { RunCard } from './runs.tsx';
import type { InboxDocument, InboxItem } from '../../documents/inbox.ts';
import type { RunSummary } from '../../documents/runs.ts';
import type { Overview } from '../../documents/status.ts';
import type { WorkflowRow } from '../../documents/workflows.ts';

/** What was settled here: it is not shown any more, even if the project does not show that yet. */
const settled = signal<ReadonlySet<string>>(new Set());

/** Work that comes back has other changes. */
function keyOf({ id, changes, since }: InboxItem): string {
  return JSON.stringify([id, changes, since]);
}

function settle(items: readonly InboxItem[]): void {
  settled.value = new Set([...settled.value, ...items.map(keyOf)]);
}

/** Everything that waits for a person, and the selected one with its context and its answer. */
export function Inbox({ id }: { readonly id: string | null }) {
  const live = useLive<InboxDocument>('/inbox');
  return (
    <View
      title="Inbox"
      actions={
        <a class="button primary" href={link('send')}>
          New task
        </a>
      }
    >
      <Loaded live={live}>
        {({ items }) => <Waiting items={items.filter((item) => !settled.value.has(keyOf(item)))} id={id} />}
      </Loaded>
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
  const done = () => {
    const next = nextAfter(items, item);
    settle([item]);
    go(next === null ? link('inbox') : link('inbox', next.id));
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
  const entries = entriesOf(items);
  const notices = items.filter(({ kind }) => kind === 'notice');
  return (
    <>
      {items.length === notices.length && (
        <p class="empty" role="status">
          Nothing waits for you. <a href={link('send')}>Give a role a task</a>, or see{' '}
          <a href={link('roles')}>who is at work</a>.
        </p>
      )}
      <ul class="cards" aria-label="Waiting for you">
        {entries.map((entry) => (
          <Row
            key={entry.is === 'one' ? entry.item.id : `alike ${entry.items[0].id}`}
            entry={entry}
            chosen={chosen}
          />
        ))}
      </ul>
      {notices.length > 1 && (
        <p>
          <PutAway items={notices} isLabelled>{`Put all ${String(notices.length)} notices away`}</PutAway>
        </p>
      )}
      <FailedRuns />
    </>
  );
}

/** What went wrong and was not put right: the workflows whose newest run has failed. */
function FailedRuns() {
  const rows = useLive<readonly WorkflowRow[]>('/workflows').value.value ?? [];
  const failed = rows.filter((row) => row.last_run?.standing.is === 'failed');
  if (failed.length === 0) return null;
  return (
    <>
      <p class="dim">Failed, and not run again since</p>
      <ul class="cards" aria-label="Failed runs">
        {failed.map(({ name, file, last_run: run }) => (
          <RunCard key={file} {...run!} workflow={name ?? file} />
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
        <span>
          <Line value={first.subject.split(':', 1)[0] ?? ''} limit={160} />
        </span>
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
  const { thread_subject: task, subject, deadline, escalated_from: escalated, kind } = item;
  return (
    <CardLink to={link('inbox', item.id)} isChosen={isOpen}>
      <Heading item={item} />
      {kind === 'notice' ? (
        <span>
          <Line value={subject} limit={160} />
        </span>
      ) : (
        <strong>
          <Sentence value={subject} limit={160} />
        </strong>
      )}
      {task !== null && !subject.includes(task) && (
        <span class="task">
          <Line value={task} limit={120} />
        </span>
      )}
      {escalated !== null && (
        <span class="escalated">
          Escalated from <Line value={escalated} limit={40} />
        </span>
      )}
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
      {item.kind === 'notice' ? <State value="notice" /> : <Stands standing={standingOf(item)} />}
      {children}
      <span class="from">
        <Line value={item.from} limit={60} />
      </span>
      {item.since !== null && <Ago at={item.since} />}
    </span>
  );
}

interface PutAwayProps {
  readonly items: readonly InboxItem[];
  readonly done?: () => void;
  /** It has words, not only a sign. */
  readonly isLabelled?: boolean;
  readonly children?: string;
}

/** Puts notices away, all at once; the key `e` presses it where it is in a row or in the detail. */
function PutAway({ items, done, isLabelled = false, children = 'Put away' }: PutAwayProps) {
  const act = async () => {
    await putAway(items.map(({ id }) => id));
    settle(items);
    done?.();
  };
  const label = `Put away ${String(items.length)}: ${oneLine(items[0]?.subject ?? '', 80)}`;
  return (
    <span class="put-away">
      <ActButton act={act} {...(!isLabelled && { label })}>
        {isLabelled ? children : '✓'}
      </ActButton>
    </span>
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
  if (past.value !== null || status === null || status.begun !== null || status.recorded > 0)
    return otherwise;
  return <WithoutMail isWorking={status.controller !== null} otherwise={otherwise} />;
}

function WithoutMail({ isWorking, otherwise }: { readonly isWorking: boolean } & FirstStepsProps) {
  const runs = useLive<readonly RunSummary[]>('/workflow-runs?limit=1').value.value;
  if (runs?.length !== 0) return otherwise;
  return (
    <section class="panel first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">Begin here</h2>
      <p>Nothing has happened in this project yet.</p>
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
