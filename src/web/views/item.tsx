import { computed, useSignal, type Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Cost } from '../../kernel/cost.ts';
import { answererOf } from '../../kernel/answerer.ts';
import { shortId } from '../../kernel/ids.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { judge, reply, type CommandResult } from '../api/actions.ts';
import type { Session } from '../../documents/status.ts';
import { Fields, typedFields } from '../parts/fields.tsx';
import { ActButton, onSubmit, perform, useAction, useRefusal, WriteButton } from '../parts/form.tsx';
import { Loaded } from '../parts/panel.tsx';
import { Prose } from '../parts/prose.tsx';
import { Ago, CommandLine, Facts, paid, Sentence, Stands, Text, Until } from '../parts/text.tsx';
import { Why } from '../parts/why.tsx';
import { clearDrafts, draft } from '../state/drafts.ts';
import { useLive } from '../state/live.ts';
import { link } from '../state/route.ts';
import { complain, notify } from '../state/toasts.ts';
import { at, Problem, threadsPath } from '../api/client.ts';
import { actOf } from '../acts.ts';
import { standingOf } from '../waiting.ts';
import { Conversation } from './conversation.tsx';
import { stepLink } from './timeline.tsx';
import { Work } from './work.tsx';
import type { InboxItem } from '../../documents/inbox.ts';
import type { Shown } from '../../documents/mail.ts';
import type { Overview, ThreadRow } from '../../documents/status.ts';

interface ItemProps {
  readonly item: InboxItem;
  /** It stands within what it is about, which says the rest. */
  readonly isInside?: boolean;
  /** Called when it is answered, or put away. */
  readonly done?: (() => void) | undefined;
}

/** One thing that waits for a person, where it is not chosen from the inbox. */
export function Item({ item }: ItemProps) {
  return (
    <section class="panel item" aria-labelledby="item-title">
      <header>
        <h2 id="item-title">
          <ItemTitle item={item} />
        </h2>
      </header>
      <Asked item={item} />
    </section>
  );
}

export function ItemTitle({ item }: { readonly item: InboxItem }) {
  return <Sentence value={item.subject} limit={200} />;
}

/**
 * What it is about, what follows, and the answer, which is in reach however long its message is.
 */
export function Asked({ item, isInside = false, done }: ItemProps) {
  const { thread, thread_subject: task, turn, run, command, escalated_from: escalated } = item;
  const row = useThread(item.thread);
  const cost = useCost(item, row);
  const isLetter = item.kind !== 'approval' && item.kind !== 'blocked';
  const isNotice = item.kind === 'notice';
  const why = isNotice ? row?.why : null;
  // Why its turn failed is all that a notice says.
  const isSaid = why?.cause?.record === turn;
  const facts = [
    ['State', (!isNotice || turn !== null) && <Stands standing={standingOf(item)} />],
    ['From', oneLine(item.from, 80)],
    ['Run', run && <a href={link('runs', run)}>{shortId(run)}</a>],
    ['Task', thread && <Task thread={thread} subject={task} />],
    ['Escalated from', escalated && oneLine(escalated, 80)],
    [isNotice ? 'Sent' : 'Waiting since', item.since && <Ago at={item.since} />],
    // What is around it says all above.
    ['Answer until', item.deadline && <Until at={item.deadline} />],
    ['Without an answer', item.on_timeout && oneLine(item.on_timeout, 200)],
    ['Turn', turn && !isSaid && <a href={link('turns', turn)}>{turn}</a>],
    ['Cost so far', cost !== undefined && paid(cost)],
  ] as const;
  return (
    <>
      <Facts of={isInside ? facts.slice(6) : facts} />
      {item.subject !== oneLine(item.subject, 200) && <Text value={item.subject} />}
      {why && <Why why={why} />}
      {isLetter ? !isSaid && <Body id={item.id} /> : item.question !== null && <Body id={item.question} />}
      {item.kind === 'blocked' && <p>Once that is done, it lands without an answer.</p>}
      {item.type === 'landing' && (
        <div class="asked" tabIndex={0} role="region" aria-label="What is to land">
          <Work of="turns" id={item.id} />
        </div>
      )}
      {run !== null && <Before run={run} steps={item.before} />}
      {item.kind === 'request' && <Answer item={item} done={done} />}
      {item.kind === 'approval' && <Approval item={item} done={done} />}
      {item.kind === 'conflict' && turn !== null && <BothSides turn={turn} role={item.from} />}
      {item.kind === 'conflict' && <Resolved item={item} done={done} />}
      {isLetter && <WorkOf id={item.id} />}
      {thread !== null && isLetter && <SoFar id={thread} />}
      {command !== '' && (
        <details>
          <summary>On the command line</summary>
          <CommandLine value={command} />
        </details>
      )}
    </>
  );
}

/** What was done before a gate: who approves sees what is approved. */
function Before({ run, steps }: { readonly run: string; readonly steps: InboxItem['before'] }) {
  if (steps.length === 0) return null;
  return (
    <section class="asked" tabIndex={0} aria-label="Done before">
      <p class="dim">Done before it</p>
      <ul class="before">
        {steps.map(({ step, standing, result }) => (
          <li key={step}>
            <a href={stepLink(run, step)}>{oneLine(step, 80)}</a> <Stands standing={standing} />
            {result !== '' && <Text value={result} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Task({ thread, subject }: { readonly thread: string; readonly subject: string | null }) {
  return (
    <a href={link('threads', thread)}>
      {subject === null || subject === '' ? shortId(thread) : oneLine(subject, 160)}
    </a>
  );
}

/** The thread that an item belongs to; null: none, or it has not arrived yet. */
function useThread(thread: string | null): ThreadRow | null {
  const path = thread === null ? null : threadsPath({ ids: thread });
  return useLive<readonly ThreadRow[]>(path).value.value?.[0] ?? null;
}

/** What the thread or run has cost; undefined: that is unknown. */
function useCost({ run }: InboxItem, thread: ThreadRow | null): Cost | undefined {
  const status = useLive<Overview>('/status').value.value;
  return thread === null ? status?.runs.find((each) => each.run === run)?.cost : thread.cost;
}

/** Its message: a long one scrolls in its own place, so that the form stays in reach. */
function Body({ id }: { readonly id: string }) {
  const live = useLive<Shown>(at('messages', id));
  return (
    <Loaded live={live}>
      {(shown) =>
        shown.kind === 'message' ? (
          <div class="asked" tabIndex={0} role="region" aria-label="The message">
            <Prose value={shown.message.body} />
          </div>
        ) : null
      }
    </Loaded>
  );
}

/** What the work of a message changes, if it has any. */
function WorkOf({ id }: { readonly id: string }) {
  const shown = useLive<Shown>(at('messages', id)).value.value;
  if (shown?.kind !== 'message' || shown.message.commit === null) return null;
  return <Work of="messages" id={id} />;
}

/** Both sides of a conflict, in the files that have one. */
function BothSides({ turn, role }: { readonly turn: string; readonly role: string }) {
  return (
    <>
      <p>
        {'Removed: what the checkout of '}
        {oneLine(role, 40)}
        {' has. Added: what it is to merge. The worktree has both, between conflict markers.'}
      </p>
      <Work of="turns" id={turn} title="Both sides" />
    </>
  );
}

/** A conflict: the person has resolved it in the checkout that its message names. */
function Resolved({ item, done }: ItemProps) {
  const act = actOf(item.command);
  const retry = async () => {
    if (act?.do === 'send') await perform(at(...act.path));
    done?.();
  };
  return (
    <div class="answer">
      <ActButton kind="primary" act={retry}>
        Retry: I have resolved it
      </ActButton>
    </div>
  );
}

/** The conversation is read once somebody wants to see it. */
function SoFar({ id }: { readonly id: string }) {
  const isOpen = useSignal(false);
  return (
    <details class="context" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>The conversation so far</summary>
      {isOpen.value && <Thread id={id} />}
    </details>
  );
}

function Thread({ id }: { readonly id: string }) {
  const live = useLive<Shown>(at('threads', id));
  return (
    <Loaded live={live}>
      {(shown) =>
        shown.kind === 'thread' ? <Conversation messages={shown.messages} turns={shown.turns} /> : null
      }
    </Loaded>
  );
}

/** The form that answers a question. */
export function Answer({ item, done }: ItemProps) {
  const place = `answer-${item.id}`;
  const text = draft(`${place}/text`);
  const type = draft(`${place}/type`, item.reply_types[0] ?? '');
  const { busy, run } = useAction();
  const submit = () => {
    const fields = typedFields(item.fields, place);
    if (fields === null) return;
    if (text.value.trim() === '') {
      document.getElementById(`${place}-text`)?.focus();
      return complain(new Problem('E_VALUE', 422, 'Write an answer first.'));
    }
    void run(async () => {
      const given = type.value === '' ? {} : { type: type.value };
      await reply(item.id, { ...given, text: text.value, fields });
      clearDrafts(`${place}/`);
      notify(`Answered ${oneLine(item.from, 60)}.`);
      done?.();
    });
  };
  return (
    <form class="answer" {...onSubmit(submit)}>
      {item.reply_types.length > 1 && (
        <fieldset class="choices">
          <legend>Answer with</legend>
          {item.reply_types.map((each) => (
            <label key={each}>
              <input
                type="radio"
                name={place}
                checked={type.value === each}
                onChange={() => (type.value = each)}
              />
              {oneLine(each, 60)}
            </label>
          ))}
        </fieldset>
      )}
      <div class="field">
        <label for={`${place}-text`}>Your answer</label>
        <textarea
          id={`${place}-text`}
          rows={4}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </div>
      <Fields shapes={item.fields} place={place} />
      <WriteButton busy={busy.value}>Send answer</WriteButton>{' '}
      <span class="help">Ctrl+Enter sends it, too.</span>
    </form>
  );
}

function Approval({ item, done }: ItemProps) {
  const place = `gate-${item.id}`;
  const comment = draft(`${place}/comment`);
  const { busy, run } = useAction();
  const gate = item.run === null ? item.id : item.id.slice(item.run.length + 1);
  const refusal = useApprovalRefusal(item.run, gate);
  const usual = useMemo(() => computed(() => isUsual(item.reply_types)), [item.reply_types]);
  const submit = (choice: string) => {
    const isRejected = choice === 'reject';
    const optional = Object.entries(item.fields).map(([name, shape]) => [
      name,
      { ...shape, required: false },
    ]);
    const fields = typedFields(
      isRejected ? (Object.fromEntries(optional) as InboxItem['fields']) : item.fields,
      place,
    );
    if (fields === null) return;
    void run(async () => {
      const said = comment.value.trim() === '' ? {} : { comment: comment.value };
      const chosen = isRejected || usual.value ? {} : { choice };
      const shown = item.changes === null ? {} : { changes: item.changes };
      const verb = isRejected ? 'reject' : 'approve';
      const { state } = await judge(item.run, gate, verb, { ...said, ...shown, ...chosen, fields });
      clearDrafts(`${place}/`);
      notify(effectOf(item, choice, state));
      done?.();
    });
  };
  // Ctrl+Enter approves where that is the only other choice than to reject.
  const [first, ...others] = item.reply_types.filter((choice) => choice !== 'reject');
  const approve = () => {
    if (first !== undefined && others.length === 0 && refusal === null) submit(first);
  };
  return (
    <form class="answer" {...onSubmit(approve)} onSubmit={(event) => event.preventDefault()}>
      <Fields shapes={item.fields} place={place} />
      <Comment id={`${place}-comment`} text={comment} />
      <div class="row">
        {item.reply_types.map((choice) => (
          <button
            key={choice}
            type="button"
            class={choice === 'reject' ? 'danger' : 'primary'}
            aria-busy={busy.value}
            disabled={refusal !== null}
            onClick={() => submit(choice)}
          >
            {choice === 'approve' ? 'Approve' : choice === 'reject' ? 'Reject' : oneLine(choice, 60)}
          </button>
        ))}
      </div>
      {refusal !== null && <p class="help refusal">{refusal}</p>}
      {refusal === null && others.length === 0 && <p class="help">Ctrl+Enter approves, too.</p>}
    </form>
  );
}

function Comment({ id, text }: { readonly id: string; readonly text: Signal<string> }) {
  return (
    <div class="field">
      <label for={id}>Comment</label>
      <textarea
        id={id}
        rows={2}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <p class="help">The comment is stored with your answer.</p>
    </div>
  );
}

function effectOf({ run }: InboxItem, choice: string, state: CommandResult['state']): string {
  if (state === 'recorded')
    return `Recorded: it takes effect when ${run === null ? 'a controller runs' : 'the run continues'}.`;
  if (choice !== 'reject') return `Answered: ${oneLine(choice, 60)}.`;
  return `Rejected: ${run === null ? 'its author gets it back' : 'what depends on it is skipped'}.`;
}

/** Why this person must not answer a gate; null: nothing forbids it. */
function useApprovalRefusal(run: string | null, gate: string): string | null {
  const ofTheKey = useRefusal();
  const session = useLive<Session>('/session').value.value;
  const status = useLive<Overview>('/status').value.value;
  const gates = status?.runs.find((each) => each.run === run)?.gates ?? [];
  const approvers = gates.find((each) => each.gate === gate)?.approvers ?? [];
  if (ofTheKey !== null || session === null) return ofTheKey;
  if (answererOf(session.name, approvers) !== null) return null;
  return `Only ${oneLine(approvers.join(', '), 200)} may answer this gate, and this key is of ${oneLine(session.name, 40)}.`;
}

function isUsual(choices: readonly string[]): boolean {
  return choices.length === 2 && choices.includes('approve') && choices.includes('reject');
}
