import { useComputed, type Signal } from '@preact/signals';
import { oneLine } from '../../kernel/one-line.ts';
import type { StatusDocument } from '../../operations/status.ts';
import { sendLetter } from '../api/actions.ts';
import { Problem } from '../api/client.ts';
import { useAction } from '../parts/form.tsx';
import { Loaded, View } from '../parts/panel.tsx';
import { clearDrafts, draft } from '../state/drafts.ts';
import { useLive } from '../state/live.ts';
import { go, link, query } from '../state/route.ts';
import { complain, notify } from '../state/toasts.ts';
import { onSubmit } from './item.tsx';

const place = 'send';

/** Sends a task, or a message to a thread. What is typed stays until it is sent. */
export function Send({ role }: { readonly role: string | null }) {
  const live = useLive<StatusDocument>('/status');
  const thread = query.value.get('thread');
  return (
    <View title={thread === null ? 'New task' : 'Add a message'}>
      <Loaded live={live}>
        {(status) => (
          <Letter
            roles={status.roles.map(({ name }) => name)}
            role={role}
            thread={thread}
            hasController={status.controller !== null}
          />
        )}
      </Loaded>
    </View>
  );
}

interface LetterProps {
  readonly roles: readonly string[];
  readonly role: string | null;
  readonly thread: string | null;
  readonly hasController: boolean;
}

function Letter({ roles, role, thread, hasController }: LetterProps) {
  const names = roles.filter((name) => name !== 'user');
  const to = draft(`${place}/to`);
  const subject = draft(`${place}/subject`);
  const text = draft(`${place}/text`);
  const { busy, run } = useAction();
  const chosen = useComputed(() => (to.value === '' ? (role ?? names[0] ?? '') : to.value));
  const submit = () => {
    if (text.value.trim() === '') {
      document.getElementById('send-text')?.focus();
      return complain(new Problem('E_VALUE', 422, 'Write the task first.'));
    }
    void run(async () => {
      const title = subject.value.trim() === '' ? {} : { subject: subject.value };
      const into = thread === null ? {} : { thread };
      const sent = await sendLetter({ to: [chosen.value], ...title, text: text.value, fields: {}, ...into });
      clearDrafts(`${place}/`);
      notify(
        sent.state === 'accepted'
          ? `Sent to ${oneLine(sent.to.join(', '), 80)}.`
          : 'Recorded: it is sent when a controller runs.',
      );
      go(sent.state === 'accepted' ? link('threads', sent.thread) : link('roles'));
    });
  };
  return (
    <form class="panel letter" {...onSubmit(submit)}>
      {!hasController && (
        <p class="dim">No controller runs. What you send waits until `mailroom up` starts.</p>
      )}
      <Recipient names={names} chosen={chosen.value} choose={(name) => (to.value = name)} />
      <Words subject={subject} text={text} />
      <button type="submit" class="primary" aria-busy={busy.value}>
        Send
      </button>
      <span class="help"> Ctrl+Enter sends it, too.</span>
    </form>
  );
}

interface RecipientProps {
  readonly names: readonly string[];
  readonly chosen: string;
  readonly choose: (name: string) => void;
}

function Recipient({ names, chosen, choose }: RecipientProps) {
  return (
    <div class="field">
      <label for="send-to">To</label>
      <select id="send-to" value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
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
