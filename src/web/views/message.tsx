import { shortId } from '../../kernel/ids.ts';
import { at } from '../api/client.ts';
import { ActButton, say } from '../parts/form.tsx';
import { Loaded, Panel, View } from '../parts/panel.tsx';
import { Facts, Line, State, Text, toneOf, visible } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { link } from '../state/route.ts';
import { saved } from '../state/saved.ts';
import { Conversation } from './conversation.tsx';
import { bringBack } from './put-away.tsx';
import { Work } from './work.tsx';
import type { CopyDocument, Shown } from '../../documents/mail.ts';

/** One message: where its copies are, who still owes an answer, and its text. */
export function Message({ id }: { readonly id: string }) {
  const live = useLive<Shown>(at('messages', id));
  return (
    <Loaded live={live} title="Message">
      {(shown) =>
        shown.kind === 'message' ? (
          <Shows shown={shown} />
        ) : shown.kind === 'refused' ? (
          <Refused shown={shown} />
        ) : null
      }
    </Loaded>
  );
}

function Refused({ shown }: { readonly shown: Extract<Shown, { kind: 'refused' }> }) {
  return (
    <View title="Refused file">
      <Facts
        of={[
          ['File', <code>{visible(shown.path)}</code>],
          ['Reason', visible(shown.reason ?? '')],
        ]}
      />
      <Text value={shown.text} kind="code" />
    </View>
  );
}

function Shows({ shown }: { readonly shown: Extract<Shown, { kind: 'message' }> }) {
  const { message, copies, thread } = shown;
  const hasFailed = copies.some((copy) => copy.at === 'failed' || copy.at === 'withdrawn');
  // Until a controller has seen it, a file that is not in the inbox any more is still unread.
  const isAway = copies.some(({ at: place, path }) => place === (path === null ? 'unread' : 'read'));
  return (
    <View
      title={<Line value={message.subject} limit={160} />}
      actions={
        <>
          {hasFailed && (
            <ActButton kind="primary" act={() => say(at('messages', message.id), 'retry')}>
              Retry
            </ActButton>
          )}
          {thread !== null && isAway && <ActButton act={() => bringBack([message.id])}>Put back</ActButton>}
          {saved === null && (
            <a class="button" href={link('why', message.id)}>
              Why?
            </a>
          )}
        </>
      }
    >
      <Facts
        of={[
          [
            'Thread',
            <a href={link('threads', message.thread)}>
              <Line value={thread?.subject ?? shortId(message.thread)} limit={160} />
            </a>,
          ],
        ]}
      />
      <Panel title="What became of it">
        <ul class="became">
          {copies.map((copy) => (
            <Copy key={copy.role} copy={copy} />
          ))}
          {shown.request?.asks.map((ask) => (
            <li key={ask.recipient}>
              <State value={ask.state} /> the answer of <Line value={ask.recipient} limit={40} />
              {ask.by !== null && (
                <>
                  : <a href={link('messages', ask.by)}>{shortId(ask.by)}</a>
                </>
              )}
            </li>
          ))}
        </ul>
      </Panel>
      <Conversation messages={[message]} turns={[]} isAlone />
      {message.commit !== null && <Work of="messages" id={message.id} />}
    </View>
  );
}

const words: Readonly<Record<CopyDocument['at'], string>> = {
  inbox: 'in the inbox',
  claimed: 'in work',
  unread: 'unread',
  read: 'read',
  processed: 'handled',
  failed: 'failed, not retried',
  withdrawn: 'withdrawn',
  unknown: 'unknown',
};

/** Where the copy of a recipient is, and why. */
function Copy({ copy: { role, at: place, turn, reason } }: { readonly copy: CopyDocument }) {
  return (
    <li>
      <span class={`state ${toneOf(place === 'claimed' ? 'running' : place)}`}>{words[place]}</span>{' '}
      <Line value={role} limit={40} />
      {turn !== null && (
        <>
          , <a href={link('turns', turn)}>turn {turn}</a>
        </>
      )}
      {reason !== null && (
        <>
          : <Line value={reason} limit={2_000} />
        </>
      )}
    </li>
  );
}
