import { useSignal } from '@preact/signals';
import { money } from '../../kernel/cost.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { duration } from '../../kernel/times.ts';
import { at } from '../api/client.ts';
import { Patch } from '../parts/difference.tsx';
import { ActButton } from '../parts/form.tsx';
import { Log } from '../parts/log.tsx';
import { Empty, Loaded, Panel, Trouble, View } from '../parts/panel.tsx';
import { Ago, Facts, Lasting, Line, State, Text } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { past } from '../state/past.ts';
import { link } from '../state/route.ts';
import { useText } from '../state/read-text.ts';
import { Conversation } from './conversation.tsx';
import { Item } from './item.tsx';
import { say } from './roles.tsx';
import { Landings } from './work.tsx';
import type { InboxDocument } from '../../documents/inbox.ts';
import type { InvocationDocument, Shown } from '../../documents/mail.ts';
import type { Overview } from '../../documents/status.ts';

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

function Shows({ shown }: { readonly shown: ShownTurn }) {
  const { id, turn, invocations, sent } = shown;
  const chosen = useSignal<number | null>(null);
  const index = chosen.value ?? invocations.length - 1;
  const invocation = invocations[index];
  // A turn that is over is known by what it sent.
  const role = turn?.role ?? sent[0]?.from ?? null;
  return (
    <View
      title={<Line value={role === null ? `Turn ${id}` : `Turn ${id} of ${role}`} />}
      actions={
        turn !== null && (
          <ActButton sure="Cancel this turn permanently" act={() => say(at('turns', id), 'cancel')}>
            Cancel
          </ActButton>
        )
      }
    >
      <About turn={turn} thread={sent[0]?.thread ?? null} />
      <Landing turn={id} />
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
      {invocation !== undefined && <Invocation key={index} id={id} invocation={invocation} />}
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

/** What is known of a turn in progress; of one that is over, only the thread of what it sent. */
function About({ turn, thread }: Pick<ShownTurn, 'turn'> & { readonly thread: string | null }) {
  if (turn === null)
    return (
      thread && (
        <p>
          <a href={link('threads', thread)}>The whole thread</a>
        </p>
      )
    );
  return (
    <Facts
      of={[
        ['State', <State value={turn.state} />],
        ['Thread', <a href={link('threads', turn.thread)}>the conversation</a>],
        ['Provider', turn.provider],
        ['Worker', turn.worker && <Line value={`${turn.worker.host} (${turn.worker.id})`} limit={80} />],
        ['Started', <Ago at={turn.since} />],
        ['For', <Lasting from={turn.since} />],
        ['Progress', turn.progress && <Line value={turn.progress} />],
        ['Cost', money(turn.cost)],
      ]}
    />
  );
}

/** The place of the turn in the queue of a branch, and the question whether it may land. */
function Landing({ turn }: { readonly turn: string }) {
  const status = useLive<Overview>('/status').value.value;
  const inbox = useLive<InboxDocument>('/inbox').value.value;
  const item = past.value === null ? inbox?.items.find(({ id }) => id === turn) : undefined;
  if (item !== undefined) return <Item item={item} />;
  return <Landings landings={status?.landings.filter((landing) => landing.turn === turn) ?? []} />;
}

function Invocation({ id, invocation }: { readonly id: string; readonly invocation: InvocationDocument }) {
  const { attempt, round, prompt, stdout, stderr, changes, result } = invocation;
  const folder = `${at('turns', id)}/${String(attempt)}/${String(round)}`;
  const grows = result === null;
  const ended = objectIn(result?.['outcome'] ?? null)['is'];
  const state = { grows, hasFailed: ended === 'never' || ended === 'later' };
  return (
    <>
      {result !== null && <Outcome result={result} />}
      <div class="beside">
        <PromptPanel path={prompt && `${folder}/prompt`} />
        <div class="stack">
          <Changes path={changes && `${folder}/changes`} isOver={!grows} />
          <FilePanel title="Transcript" path={stdout && `${folder}/stdout`} {...state} />
          <FilePanel title="Errors" path={stderr && `${folder}/stderr`} {...state} />
        </div>
      </div>
    </>
  );
}

/** How a launch ended, how long it took, and what it cost. */
function Outcome({ result }: { readonly result: JsonObject }) {
  const { outcome = null, exit = null, durationMs = null, host = null } = result;
  const { is = null, reason = null, usage = null, model = null } = objectIn(outcome);
  const { usd = null, tokens = null } = objectIn(usage);
  const { text = null } = objectIn(reason);
  const cost = money({
    usd: typeof usd === 'number' ? usd : 0,
    tokens: typeof tokens === 'number' ? tokens : 0,
    unpriced: usd === null && tokens === null ? 1 : 0,
  });
  return (
    <>
      <Facts
        of={[
          ['Ended', typeof is === 'string' && <Ended is={is} />],
          ['Reason', typeof text === 'string' && <Line value={text} limit={400} />],
          ['Took', typeof durationMs === 'number' && duration(durationMs)],
          ['Cost', cost],
          ['Model', typeof model === 'string' && <Line value={model} limit={60} />],
          ['Worker', typeof host === 'string' && <Line value={host} limit={80} />],
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

/** What became of a launch, in words; a failure is red, whatever comes after it. */
function Ended({ is }: { readonly is: string }) {
  if (is === 'never') return <span class="state bad">failed, not retried</span>;
  if (is === 'later') return <span class="state bad">failed, to be tried again</span>;
  return <State value={is} />;
}

function objectIn(value: Json): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** What changed in the workspace of a turn while it ran. */
function Changes({ path, isOver }: { readonly path: string | null; readonly isOver: boolean }) {
  const { text } = useText(path);
  if (path === null)
    return isOver ? (
      <Panel title="Files">
        <Empty>It changed no file in a git workspace.</Empty>
      </Panel>
    ) : null;
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

function PromptPanel({ path }: { readonly path: string | null }) {
  const { text, problem } = useText(path);
  if (path === null || text.value === '') return null;
  return (
    <Panel title="Prompt">
      {problem.value !== null && text.value === null && <Trouble problem={problem.value} />}
      {text.value !== null && <Text value={text.value} kind="code" />}
    </Panel>
  );
}
