import { useSignal } from '@preact/signals';
import { money } from '../../kernel/cost.ts';
import type { InvocationDocument, Shown } from '../../operations/show.ts';
import { at } from '../api/client.ts';
import { ActButton } from '../parts/form.tsx';
import { Empty, Loaded, Panel, Trouble, View } from '../parts/panel.tsx';
import { Ago, Facts, Lasting, Line, State, Text } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { link } from '../state/route.ts';
import { useText } from '../state/followed-text.ts';
import { Conversation } from './conversation.tsx';
import { say } from './roles.tsx';

type ShownTurn = Extract<Shown, { kind: 'turn' }>;

/** One turn: what its agent was asked, what it printed, and what it sent. */
export function Turn({ id }: { readonly id: string }) {
  const live = useLive<Shown>(at('turns', id));
  return <Loaded live={live}>{(shown) => (shown.kind === 'turn' ? <Shows shown={shown} /> : null)}</Loaded>;
}

function Shows({ shown }: { readonly shown: ShownTurn }) {
  const { id, turn, invocations, sent } = shown;
  const chosen = useSignal<number | null>(null);
  const index = chosen.value ?? invocations.length - 1;
  const invocation = invocations[index];
  return (
    <View
      title={turn === null ? `Turn ${id}` : <Line value={`Turn ${id} of ${turn.role}`} />}
      actions={
        turn !== null && (
          <ActButton sure="Cancel this turn permanently" act={() => say(at('turns', id), 'cancel')}>
            Cancel
          </ActButton>
        )
      }
    >
      {turn !== null && (
        <Facts
          of={[
            ['State', <State value={turn.state} />],
            ['Thread', <a href={link('threads', turn.thread)}>the conversation</a>],
            ['Provider', turn.provider],
            ['Started', <Ago at={turn.since} />],
            ['For', <Lasting from={turn.since} />],
            ['Progress', turn.progress && <Line value={turn.progress} />],
            ['Cost', money(turn.cost)],
          ]}
        />
      )}
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

function Invocation({ id, invocation }: { readonly id: string; readonly invocation: InvocationDocument }) {
  const { attempt, round, result } = invocation;
  const folder = `${at('turns', id)}/${String(attempt)}/${String(round)}`;
  return (
    <div class="beside">
      <FilePanel title="Prompt" path={invocation.prompt && `${folder}/prompt`} grows={result === null} />
      <div class="stack">
        <FilePanel
          title="Transcript"
          path={invocation.stdout && `${folder}/stdout`}
          grows={result === null}
        />
        <FilePanel title="Errors" path={invocation.stderr && `${folder}/stderr`} grows={result === null} />
        {result !== null && (
          <Panel title="Result">
            <Text value={JSON.stringify(result, null, 2)} kind="code" />
          </Panel>
        )}
      </div>
    </div>
  );
}

/** A file of the turn; it grows until the launch has its result. */
function FilePanel({
  title,
  path,
  grows,
}: {
  readonly title: string;
  readonly path: string | null;
  readonly grows: boolean;
}) {
  const { text, problem } = useText(path, grows);
  if (path === null || text.value === '') return null;
  return (
    <Panel title={title}>
      {problem.value !== null && text.value === null && <Trouble problem={problem.value} />}
      {text.value !== null && <Text value={text.value} kind="code" />}
    </Panel>
  );
}
