import { useEffect } from 'preact/hooks';
import { Empty, Loaded, View } from '../parts/panel.tsx';
import { Ago, Line, State, Until } from '../parts/text.tsx';
import { useLive } from '../state/live.ts';
import { link } from '../state/route.ts';
import { Item } from './item.tsx';
import type { InboxDocument, InboxItem } from '../../documents/inbox.ts';

/** Everything that waits for a person, and the selected one with its context and its answer. */
export function Inbox({ id }: { readonly id: string | null }) {
  const live = useLive<InboxDocument>('/inbox');
  return (
    <View
      title="Inbox"
      actions={
        <a class="button primary" href={link('send')}>
          New task
        </a>
      }
    >
      <Loaded live={live}>{({ items }) => <Panes items={items} id={id} />}</Loaded>
    </View>
  );
}

function Panes({ items, id }: { readonly items: readonly InboxItem[]; readonly id: string | null }) {
  const selected = items.find((item) => item.id === id) ?? null;
  return (
    <div class={`panes ${id === null ? '' : 'open'}`}>
      <div class="list">
        {items.length === 0 && (
          <Empty>
            Nothing waits for you. <a href={link('send')}>Give a role a task</a>, or see{' '}
            <a href={link('roles')}>who is at work</a>.
          </Empty>
        )}
        <ul class="cards" aria-label="Waiting for you">
          {items.map((item) => (
            <li key={item.id}>
              <Card item={item} isOpen={item.id === id} />
            </li>
          ))}
        </ul>
      </div>
      {id !== null && (
        <div class="detail">
          {selected === null ? <Settled id={id} /> : <Item key={id} item={selected} />}
        </div>
      )}
    </div>
  );
}

function Card({ item, isOpen }: { readonly item: InboxItem; readonly isOpen: boolean }) {
  return (
    <a class="card" data-row href={link('inbox', item.id)} aria-current={isOpen ? 'true' : undefined}>
      <span class="row">
        <State value={item.kind} />
        <span class="from">
          <Line value={item.from} limit={60} />
        </span>
        {item.since !== null && <Ago at={item.since} />}
      </span>
      <strong>
        <Line value={item.subject} limit={160} />
      </strong>
      {item.deadline !== null && (
        <span class="deadline">
          Due <Until at={item.deadline} />
        </span>
      )}
    </a>
  );
}

/** The item has left the inbox: it was answered here, elsewhere, or its time is over. */
function Settled({ id }: { readonly id: string }) {
  useEffect(() => {
    document.querySelector<HTMLElement>('.detail h2')?.focus();
  }, [id]);
  const [name, to] = placeOf(id);
  return (
    <section class="panel settled">
      <h2 tabIndex={-1}>Settled</h2>
      <p>This does not wait for you any more.</p>
      <p>
        <a href={to}>See the {name}</a>
        {' · '}
        <a href={link('inbox')}>Back to the inbox</a>
      </p>
    </section>
  );
}

/** What an item of the inbox is about: `<run>/<gate>` a run, `t12` work that was to land. */
function placeOf(id: string): readonly [name: string, to: string] {
  const [run = '', gate] = id.split('/');
  if (gate !== undefined) return ['run', link('runs', run)];
  return /^t\d+$/.test(id) ? ['turn', link('turns', id)] : ['message', link('messages', id)];
}
