import { useSignal } from '@preact/signals';
import { shortId } from '../../kernel/ids.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { duration } from '../../kernel/times.ts';
import { at, threadsPath } from '../api/client.ts';
import { Patch } from '../parts/difference.tsx';
import { ActButton, say } from '../parts/form.tsx';
import { Log } from '../parts/log.tsx';
import { Empty, Loaded, Panel, Trouble, View } from '../parts/panel.tsx';
import { Ago, Facts, Lasting, Line, paid, Stands, State, Text } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { past } from '../state/past.ts';
import { link } from '../state/route.ts';
import { useText } from '../state/read-text.ts';
import { Conversation } from './conversation.tsx';
import { Item } from './item.tsx';
import { Landings } from './work.tsx';
import type { InboxDocument, InboxItem } from '../../documents/inbox.ts';
import type { InvocationDocument, Shown } from '../../documents/mail.ts';
import type { Overview, ThreadRow } from '../../documents/status.ts';

type ShownTurn = Extract<Shown, { kind: 'turn' }>;

/** One turn: what its agent was asked, printed, changed, cost and sent. */
export function Turn({ id }: { readonly id: string }) {
  const live = useLive<Shown>(at('turns', id));
  return (
    <Loaded live={live} title={`Turn ${id}`}>
      {(shown) => (shown.kind === 'turn' ? <Shows shown={shown} /> : null)}
    </Loaded>
  );
}

/** What a turn is of; a result keeps it when the turn has ended. */
interface Origin {
  readonly role: string | null;
  readonly thread: string | null;
  readonly messages: readonly string[];
}

function originOf({ turn, sent, invocations }: ShownTurn): Origin {
  if (turn !== null) return turn;
  const { role = null, thread = null, messages = [] } = invocations.at(-1)?.result ?? {};
  return {
    role: typeof role === 'string' ? role : (sent[0]?.from ?? null),
    thread: typeof thread === 'string' ? thread : (sent[0]?.thread ?? null),
    messages: Array.isArray(messages) ? messages.filter((each) => typeof each === 'string') : [],
  };
}

function Shows({ shown }: { readonly shown: ShownTurn }) {
  const { id, turn, invocations, sent } = shown;
  const origin = originOf(shown);
  const { role, thread } = origin;
  const path = threadsPath(thread === null ? { limit: 1 } : { ids: thread });
  const row = useLive<readonly ThreadRow[]>(path).value.value?.find((each) => each.id === thread);
  const chosen = useSignal<number | null>(null);
  const index = chosen.value ?? invocations.length - 1;
  const invocation = invocations[index];
  const name = role === null ? `Turn ${id}` : `${role}, turn ${id}`;
  const asked = useAsked(id);
  const hasWork = sent.some(({ commit }) => commit !== null);
  const isFailed = turn === null && row?.failed != null && failureOf(invocations.at(-1)) !== null;
  return (
    <View
      title={<Line value={row === undefined ? name : `${name}: ${row.subject}`} limit={160} />}
      actions={<Actions id={id} isOpen={turn !== null} again={isFailed ? origin.messages : []} />}
    >
      {invocation !== undefined && <Failure invocation={invocation} />}
      <About shown={shown} thread={thread} subject={row?.subject ?? null} />
      {asked === undefined ? <Landing turn={id} /> : <Item item={asked} />}
      {invocations.length > 1 && (
        <fieldset class="tabs">
          <legend>Launch</legend>
          {invocations.map((each, place) => (
            <label key={place}>
              <input
                type="radio"
                name="invocation"
                checked={place === index}
                onChange={() => (chosen.value = place)}
              />
              {`Attempt ${String(each.attempt)}${each.round > 0 ? `, correction ${String(each.round)}` : ''}`}
            </label>
          ))}
        </fieldset>
      )}
      {invocation !== undefined && (
        <Invocation
          key={index}
          {...{ id, invocation, hasWork }}
          isOpen={turn !== null}
          isAsked={asked !== undefined}
        />
      )}
      <Panel title="What it sent">
        {sent.length === 0 ? (
          <Empty>It has sent nothing.</Empty>
        ) : (
          <Conversation messages={sent} turns={[]} />
        )}
      </Panel>
    </View>
  );
}

interface ActionsProps {
  readonly id: string;
  readonly isOpen: boolean;
  /** The messages that it failed on; empty: it did not. */
  readonly again: readonly string[];
}

function Actions({ id, isOpen, again }: ActionsProps) {
  const retry = async () => {
    for (const message of again) await say(at('messages', message), 'retry');
  };
  return (
    <>
      {again.length > 0 && (
        <ActButton kind="primary" act={retry}>
          Retry
        </ActButton>
      )}
      {isOpen && (
        <ActButton sure="Cancel this turn" act={() => say(at('turns', id), 'cancel')}>
          Cancel
        </ActButton>
      )}
      <a class="button" href={link('why', id)}>
        Why?
      </a>
    </>
  );
}

/** Why a launch failed; null: it did not. */
function failureOf(invocation: InvocationDocument | undefined) {
  const { is = null, reason = null } = objectIn(invocation?.result?.['outcome'] ?? null);
  if (is !== 'never' && is !== 'later') return null;
  const { text = null } = objectIn(reason);
  return { isRetried: is === 'later', text: typeof text === 'string' ? text : 'no reason was given' };
}

/** What went wrong comes first, and in full. */
function Failure({ invocation }: { readonly invocation: InvocationDocument }) {
  const failure = failureOf(invocation);
  if (failure === null) return null;
  return (
    <div class="trouble failure">
      <p>
        <span class="state bad">
          {failure.isRetried ? 'failed, to be tried again' : 'failed, not retried'}
        </span>
      </p>
      <Text value={failure.text} />
    </div>
  );
}

interface AboutProps {
  readonly shown: ShownTurn;
  readonly thread: string | null;
  readonly subject: string | null;
}

/** What is known of a turn; of one that is over, only what it was of. */
function About({ shown: { turn }, thread, subject }: AboutProps) {
  return (
    <Facts
      of={[
        ['State', turn && <Stands standing={turn.standing} />],
        [
          'Thread',
          thread && (
            <a href={link('threads', thread)}>
              {subject === null || subject === '' ? shortId(thread) : <Line value={subject} limit={160} />}
            </a>
          ),
        ],
        ['Provider', turn && turn.provider],
        [
          'Worker',
          turn?.worker != null && <Line value={`${turn.worker.host} (${turn.worker.id})`} limit={80} />,
        ],
        ['Started', turn && <Ago at={turn.since} />],
        ['For', turn && <Lasting from={turn.since} />],
        ['Progress', turn?.progress != null && <Line value={turn.progress} />],
        ['Cost', turn && paid(turn.cost)],
      ]}
    />
  );
}

/** What a person is asked about the turn, such as whether its work may land. */
function useAsked(turn: string): InboxItem | undefined {
  const inbox = useLive<InboxDocument>('/inbox').value.value;
  if (past.value !== null) return undefined;
  return inbox?.items.find((each) => each.turn === turn && each.kind !== 'notice');
}

/** The place of the turn in the queue of a branch. */
function Landing({ turn }: { readonly turn: string }) {
  const status = useLive<Overview>('/status').value.value;
  return <Landings landings={status?.landings.filter((landing) => landing.turn === turn) ?? []} />;
}

interface InvocationProps {
  readonly id: string;
  readonly invocation: InvocationDocument;
  /** Some of its messages have work, which is shown with them. */
  readonly hasWork: boolean;
  /** Its work is shown with the question whether it may land. */
  readonly isAsked: boolean;
  /** The turn is not over: how it stands, and its cost, are shown above. */
  readonly isOpen: boolean;
}

function Invocation({ id, invocation, hasWork, isOpen, isAsked }: InvocationProps) {
  const { attempt, round, prompt, stdout, stderr, changes, result } = invocation;
  const folder = `${at('turns', id)}/${String(attempt)}/${String(round)}`;
  const grows = result === null;
  const hasFailed = failureOf(invocation) !== null;
  const state = { grows, hasFailed };
  const logs = [
    <FilePanel key="out" title="Transcript" path={stdout && `${folder}/stdout`} {...state} />,
    <FilePanel key="err" title="Standard error" path={stderr && `${folder}/stderr`} {...state} />,
  ];
  return (
    <>
      {result !== null && <Outcome result={result} isOpen={isOpen} />}
      {!isAsked && (
        <Changes path={changes && `${folder}/changes`} isNone={!grows && !hasWork && !hasFailed} />
      )}
      {hasFailed ? logs.toReversed() : logs}
      {prompt !== null && <Prompt path={`${folder}/prompt`} />}
    </>
  );
}

/** How a launch ended, how long it took, and what it cost. */
function Outcome({ result, isOpen }: { readonly result: JsonObject; readonly isOpen: boolean }) {
  const { outcome = null, exit = null, durationMs = null, host = null, reported = null } = result;
  const reports = Array.isArray(reported) ? reported.filter((text) => typeof text === 'string') : [];
  const { is = null, usage = null, model = null } = objectIn(outcome);
  const { usd = null, tokens = null } = objectIn(usage);
  const cost = paid({
    usd: typeof usd === 'number' ? usd : 0,
    tokens: typeof tokens === 'number' ? tokens : 0,
    unpriced: usd === null && tokens === null ? 1 : 0,
  });
  return (
    <>
      <Facts
        of={[
          ['Ended', is === 'done' && !isOpen && <State value={is} />],
          ['Took', typeof durationMs === 'number' && duration(durationMs)],
          ['Cost', !isOpen && cost],
          ['Model', typeof model === 'string' && <Line value={model} limit={60} />],
          ['Worker', typeof host === 'string' && <Line value={host} limit={80} />],
          ['Reported', reports.length > 0 && <Line value={reports.join('; ')} />],
          ['Exit code', typeof exit === 'number' && exit !== 0 && String(exit)],
        ]}
      />
      <details>
        <summary>The whole result</summary>
        <Text value={JSON.stringify(result, null, 2)} kind="code" />
      </details>
    </>
  );
}

function objectIn(value: Json): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** What changed in the workspace of a turn while it ran. `isNone`: it is known that nothing did. */
function Changes({ path, isNone }: { readonly path: string | null; readonly isNone: boolean }) {
  const { text } = useText(path);
  if (path === null) return isNone ? <p class="dim">It changed no file in a git workspace.</p> : null;
  if (text.value === null || text.value === '') return null;
  return <Patch title="Files" patch={text.value} />;
}

/** A file of the turn; it grows until the launch has its result. */
function FilePanel({
  title,
  path,
  grows,
  hasFailed,
}: {
  readonly title: string;
  readonly path: string | null;
  readonly grows: boolean;
  readonly hasFailed: boolean;
}) {
  if (path === null) return null;
  return (
    <Panel title={title}>
      <Log path={path} isLive={grows} hasFailed={hasFailed} named={{ log: path.split('/').at(-1) ?? '' }} />
    </Panel>
  );
}

/** It is read once somebody wants to see it. */
function Prompt({ path }: { readonly path: string }) {
  const isOpen = useSignal(false);
  return (
    <details class="panel" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>Prompt</summary>
      {isOpen.value && <PromptText path={path} />}
    </details>
  );
}

function PromptText({ path }: { readonly path: string }) {
  const { text, problem } = useText(path);
  if (text.value !== null) return <Text value={text.value} kind="code" />;
  return problem.value === null ? (
    <p class="empty loading">Loading …</p>
  ) : (
    <Trouble problem={problem.value} />
  );
}
