import { useSignal } from '@preact/signals';
import { Prose } from '../parts/prose.tsx';
import { Ago, Line, Price, State } from '../parts/text.tsx';
import { link } from '../state/route.ts';
import { Work } from './work.tsx';
import type { MessageDocument } from '../../documents/mail.ts';
import type { TurnStatus } from '../../documents/status.ts';

interface Props {
  readonly messages: readonly MessageDocument[];
  /** The level of the heading above it; default: 2. */
  readonly within?: number;
  readonly turns: readonly TurnStatus[];
  /** What their work changes is shown elsewhere. */
  readonly isAlone?: boolean;
}

/** The messages of a thread in order, and the turns that are at work on it. */
export function Conversation({ messages, turns, within = 2, isAlone = false }: Props) {
  return (
    <ol class="conversation">
      {messages.map((message, index) => {
        if (message.from === 'mailroom' && !isAlone)
          return <Notice key={message.id} message={message} within={within} />;
        // Its first message has shown the work of several.
        const isShown = messages.slice(0, index).some(({ commit }) => commit === message.commit);
        return <Letter key={message.id} message={message} within={within} isAlone={isAlone || isShown} />;
      })}
      {turns.map((turn) => (
        <li key={turn.id} class="message turn">
          <header>
            <strong>
              <Line value={turn.role} limit={40} />
            </strong>
            <State value={turn.state} />
            <a href={link('turns', turn.id)}>turn {turn.id}</a>
            <span class="grow" />
            <Price cost={turn.cost} isAlone />
            <Ago at={turn.since} />
          </header>
          {turn.progress !== null && (
            <p>
              <Line value={turn.progress} />
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

/** A message with its text, its fields, and what its work changed. */
function Letter({ message, within, isAlone }: NoticeProps & { readonly isAlone: boolean }) {
  return (
    <li class="message">
      <header>
        <strong>
          <Line value={message.from} limit={40} />
        </strong>
        <span aria-hidden="true">→</span>
        <span>
          <Line value={message.to.join(', ')} limit={80} />
        </span>
        <span class="type">
          <Line value={message.type} limit={40} />
        </span>
        {message.landed !== null && (
          <span class="type">
            landed on <Line value={message.landed.branch} limit={60} />
          </span>
        )}
        <span class="grow" />
        {message.turn !== null && <a href={link('turns', message.turn)}>turn {message.turn}</a>}
        <a href={link('messages', message.id)}>
          <Ago at={message.created} />
        </a>
      </header>
      {message.subject !== '' && (
        <p class="subject">
          <Line value={message.subject} limit={200} />
        </p>
      )}
      <Prose value={message.body} within={within} />
      <FieldsOf message={message} />
      {message.commit !== null && !isAlone && <WorkOf id={message.id} commit={message.commit} />}
    </li>
  );
}

interface NoticeProps {
  readonly message: MessageDocument;
  readonly within: number;
}

/** What Mailroom says: one line, which unfolds. */
function Notice({ message, within }: NoticeProps) {
  return (
    <li class="message notice">
      <details>
        <summary>
          <Line value={message.subject} limit={160} /> · <Ago at={message.created} />
        </summary>
        <Prose value={message.body} within={within} />
        <a href={link('messages', message.id)}>Message</a>
      </details>
    </li>
  );
}

/** What the work of a message changes, read once somebody wants to see it. */
function WorkOf({ id, commit }: { readonly id: string; readonly commit: string }) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        What it changed <code>{commit.slice(0, 10)}</code>
      </summary>
      {isOpen.value && <Work of="messages" id={id} />}
    </details>
  );
}

function FieldsOf({ message }: { readonly message: MessageDocument }) {
  const values = Object.entries(message.fields);
  if (values.length === 0 && message.attachments.length === 0) return null;
  return (
    <dl class="facts">
      {values.map(([name, value]) => (
        <div key={name}>
          <dt>
            <Line value={name} limit={40} />
          </dt>
          <dd>
            <Line value={typeof value === 'string' ? value : JSON.stringify(value)} limit={300} />
          </dd>
        </div>
      ))}
      {message.attachments.map((path) => (
        <div key={path}>
          <dt>attachment</dt>
          <dd>
            <code>
              <Line value={path} />
            </code>
          </dd>
        </div>
      ))}
    </dl>
  );
}
