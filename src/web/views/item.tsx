import { computed } from '@preact/signals';
import type { FormHTMLAttributes } from 'preact';
import { useMemo } from 'preact/hooks';
import { answererOf } from '../../kernel/answerer.ts';
import { shortId } from '../../kernel/ids.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { judge, reply, type CommandResult } from '../api/actions.ts';
import { at } from '../api/client.ts';
import type { Session } from '../../documents/status.ts';
import { Fields, typedFields } from '../parts/fields.tsx';
import { useAction, useRefusal, WriteButton } from '../parts/form.tsx';
import { Loaded } from '../parts/panel.tsx';
import { Prose } from '../parts/prose.tsx';
import { Ago, CommandLine, Facts, Line, State, Text, Until } from '../parts/text.tsx';
import { clearDrafts, draft } from '../state/drafts.ts';
import { useLive } from '../state/live.ts';
import { link } from '../state/route.ts';
import { complain, notify } from '../state/toasts.ts';
import { Problem } from '../api/client.ts';
import { Conversation } from './conversation.tsx';
import { Work } from './work.tsx';
import type { InboxItem } from '../../documents/inbox.ts';
import type { Shown } from '../../documents/mail.ts';
import type { Overview } from '../../documents/status.ts';

/** One thing that waits for a person: what it is about, what follows, and the answer. */
export function Item({ item }: { readonly item: InboxItem }) {
  return (
    <section class="panel item" aria-labelledby="item-title">
      <header>
        <h2 id="item-title">
          <Line value={item.subject} limit={200} />
        </h2>
        <State value={item.kind} />
      </header>
      <Facts
        of={[
          ['From', <Line value={item.from} limit={80} />],
          ['Waiting since', item.since && <Ago at={item.since} />],
          ['Answer until', item.deadline && <Until at={item.deadline} />],
          ['Without an answer', item.on_timeout && <Line value={item.on_timeout} limit={200} />],
          ['Turn', ofTurn(item) && <a href={link('turns', item.id)}>{item.id}</a>],
          ['Run', item.run && <a href={link('runs', item.run)}>{shortId(item.run)}</a>],
          ['Thread', item.thread && <a href={link('threads', item.thread)}>{shortId(item.thread)}</a>],
        ]}
      />
      {item.subject !== oneLine(item.subject, 200) && <Text value={item.subject} />}
      {item.type === 'landing' && <Work of="turns" id={item.id} />}
      {item.question !== null && <Body id={item.question} />}
      {item.kind === 'approval' ? <Approval item={item} /> : <Message item={item} />}
      {item.command !== '' && (
        <details>
          <summary>On the command line</summary>
          <CommandLine value={item.command} />
        </details>
      )}
    </section>
  );
}

/** Whether a turn waits for it: its work is to land, or its agent asks for something. */
function ofTurn({ type }: InboxItem): boolean {
  return type === 'landing' || type === 'permission';
}

function Body({ id }: { readonly id: string }) {
  const live = useLive<Shown>(at('messages', id));
  return (
    <Loaded live={live}>
      {(shown) => (shown.kind === 'message' ? <Prose value={shown.message.body} /> : null)}
    </Loaded>
  );
}

function Message({ item }: { readonly item: InboxItem }) {
  return (
    <>
      <Body id={item.id} />
      {item.kind === 'request' && <Answer item={item} />}
      {item.thread !== null && (
        <details class="context">
          <summary>The conversation so far</summary>
          <Thread id={item.thread} />
        </details>
      )}
    </>
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

/** Sends the form on Ctrl+Enter, too. */
export function onSubmit(act: () => void): FormHTMLAttributes {
  return {
    onSubmit: (event) => {
      event.preventDefault();
      act();
    },
    onKeyDown: (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        act();
      }
    },
  };
}

function Answer({ item }: { readonly item: InboxItem }) {
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
      <WriteButton busy={busy.value}>Send answer</WriteButton>
      <span class="help">Ctrl+Enter sends it, too.</span>
    </form>
  );
}

function Approval({ item }: { readonly item: InboxItem }) {
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
    });
  };
  return (
    <form class="answer" onSubmit={(event) => event.preventDefault()}>
      <Fields shapes={item.fields} place={place} />
      <div class="field">
        <label for={`${place}-comment`}>Comment</label>
        <textarea
          id={`${place}-comment`}
          rows={2}
          value={comment.value}
          onInput={(event) => (comment.value = event.currentTarget.value)}
        />
        <p class="help">It is stored with your answer.</p>
      </div>
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
    </form>
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
