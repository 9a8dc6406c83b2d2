import { Prose } from '../parts/prose.tsx';
import { Ago, Line, Price, State } from '../parts/text.tsx';
import { link } from '../state/route.ts';
import type { MessageDocument } from '../../documents/mail.ts';
import type { TurnStatus } from '../../documents/status.ts';

interface Props {
  readonly messages: readonly MessageDocument[];
  /** The level of the heading above it; default: 2. */
  readonly within?: number;
  readonly turns: readonly TurnStatus[];
}

/** The messages of a thread in order, and the turns that are at work on it. */
export function Conversation({ messages, turns, within = 2 }: Props) {
  return (
    <ol class="conversation">
      {messages.map((message) => (
        <li key={message.id} class="message">
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
            <WorkLink message={message} />
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
        </li>
      ))}
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

/** Leads to what the work of a message changes. */
function WorkLink({ message: { id, commit } }: { readonly message: MessageDocument }) {
  if (commit === null) return null;
  return (
    <a href={link('messages', id)} title="What its work changes">
      <code>{commit.slice(0, 10)}</code>
    </a>
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
