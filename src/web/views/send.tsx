import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { oneLine } from '../../kernel/one-line.ts';
import { sendMessage } from '../api/actions.ts';
import { at } from '../api/client.ts';
import type { LetterType, ProtocolDocument } from '../../documents/protocol.ts';
import type { Session } from '../../documents/status.ts';
import { Fields, typedFields } from '../parts/fields.tsx';
import { onSubmit, refuseField, useAction, WriteButton } from '../parts/form.tsx';
import { Empty, Loaded, View } from '../parts/panel.tsx';
import { Line } from '../parts/text.tsx';
import { clearDrafts, draft } from '../state/drafts.ts';
import { useLive } from '../state/live.ts';
import { past, showNow } from '../state/past.ts';
import { go, link, query } from '../state/route.ts';
import { notify } from '../state/toasts.ts';
import type { Shown } from '../../documents/mail.ts';
import type { Overview } from '../../documents/status.ts';

const place = 'send';

/** Sends a task, or a message to a thread. What is typed stays until it is sent. */
export function Send({ role }: { readonly role: string | null }) {
  const protocol = useLive<ProtocolDocument>('/protocol');
  const session = useLive<Session>('/session').value.value;
  const status = useLive<Overview>('/status').value.value;
  const thread = query.value.get('thread');
  const shown = useLive<Shown>(thread === null ? null : at('threads', thread)).value.value;
  const found = shown?.kind === 'thread' ? shown : null;
  return (
    <View
      title={thread === null ? 'New task' : 'Add a message'}
      actions={
        thread !== null && (
          <a href={link('threads', thread)}>
            <Line value={found?.thread?.subject ?? 'Its thread'} limit={120} />
          </a>
        )
      }
    >
      {past.value !== null && (
        <p class="row">
          The page shows the past, in which nothing can be sent.
          <button type="button" class="primary" onClick={showNow}>
            Back to now
          </button>
        </p>
      )}
      {past.value === null && status?.controller === null && (
        <p class="dim">
          No controller runs. What you send waits until <code>mailroom up</code> starts.
        </p>
      )}
      <Loaded live={protocol}>
        {(known) => {
          const types = lettersOf(known, session?.name ?? 'user', role);
          if (types.length === 0) return <Empty>The protocol allows no message from you to this role.</Empty>;
          // Who wrote last is who should read it.
          const last = found?.messages.findLast(({ from }) => types.some(({ to }) => to.includes(from)));
          return <MessageForm types={types} role={role ?? last?.from ?? null} thread={thread} />;
        }}
      </Loaded>
    </View>
  );
}

/** The types that a person may send, to a role where one is named; without answers. */
function lettersOf({ roles, types }: ProtocolDocument, name: string, role: string | null): LetterType[] {
  const isPerson = roles.some((each) => each.name === name && each.provider === 'human');
  const answers = new Set(types.flatMap(({ reply }) => reply));
  return types.filter(
    (type) =>
      type.from.includes(isPerson ? name : 'user') &&
      !answers.has(type.name) &&
      (role === null || type.to.includes(role)),
  );
}

interface MessageFormProps {
  readonly types: readonly LetterType[];
  readonly role: string | null;
  readonly thread: string | null;
}

function MessageForm({ types, role, thread }: MessageFormProps) {
  const [to, name] = [draft(`${place}/to`), draft(`${place}/type`)];
  const [subject, text] = [draft(`${place}/subject`), draft(`${place}/text`)];
  const { busy, run } = useAction();
  const form = useRef<HTMLFormElement>(null);
  const first = thread === null ? 'select, input, textarea' : 'textarea';
  useEffect(() => form.current?.querySelector<HTMLElement>(first)?.focus(), []);
  const wanted = name.value || query.value.get('type');
  const type = types.find((each) => each.name === wanted) ?? types[0]!;
  const recipients = type.to_all
    ? type.to
    : [type.to.find((each) => each === (to.value || role)) ?? type.to[0] ?? ''];
  const submit = () => {
    const fields = typedFields(type.fields, `${place}-${type.name}`);
    if (fields === null) return;
    if (text.value.trim() === '') return refuseField('send-text', 'Write the text first.');
    void run(async () => {
      const title = subject.value.trim() === '' ? {} : { subject: subject.value };
      const into = thread === null ? {} : { thread };
      const letter = { type: type.name, ...title, text: text.value, fields, ...into };
      const sent = await sendMessage({ to: recipients, ...letter });
      clearDrafts(`${place}/`);
      clearDrafts(`${place}-${type.name}/`);
      const isAccepted = sent.state === 'accepted';
      notify(
        isAccepted
          ? `Sent to ${oneLine(sent.to.join(', '), 80)}.`
          : 'Recorded: it is sent when a controller runs.',
      );
      go(isAccepted ? link('threads', sent.thread) : link('roles'));
    });
  };
  return (
    <form class="panel letter" ref={form} {...onSubmit(submit)}>
      {types.length > 1 && (
        <Choice
          id="send-type"
          label="Type"
          names={types.map((each) => each.name)}
          chosen={type.name}
          choose={name}
        />
      )}
      {type.to_all ? (
        <p class="dim">It goes to {oneLine(type.to.join(', '), 200)}.</p>
      ) : (
        <Choice id="send-to" label="To" names={type.to} chosen={recipients[0] ?? ''} choose={to} />
      )}
      <Words subject={subject} text={text} />
      <Fields shapes={type.fields} place={`${place}-${type.name}`} />
      <WriteButton busy={busy.value}>Send</WriteButton> <span class="help">Ctrl+Enter sends it, too.</span>
    </form>
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly label: string;
  readonly names: readonly string[];
  readonly chosen: string;
  readonly choose: Signal<string>;
}

function Choice({ id, label, names, chosen, choose }: ChoiceProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={chosen} onChange={(event) => (choose.value = event.currentTarget.value)}>
        {names.map((name) => (
          <option key={name} value={name}>
            {oneLine(name, 60)}
          </option>
        ))}
      </select>
    </div>
  );
}

function Words({ subject, text }: { readonly subject: Signal<string>; readonly text: Signal<string> }) {
  return (
    <>
      <div class="field">
        <label for="send-subject">Subject</label>
        <input
          id="send-subject"
          value={subject.value}
          autocomplete="off"
          placeholder="The first line of the text"
          onInput={(event) => (subject.value = event.currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="send-text">Text</label>
        <textarea
          id="send-text"
          rows={10}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </div>
    </>
  );
}
