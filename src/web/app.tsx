import { useLayoutEffect } from 'preact/hooks';
import { oneLine } from '../kernel/one-line.ts';
import { moment } from '../kernel/local-time.ts';
import { connection, reconnect } from './api/events.ts';
import type { Session } from '../documents/status.ts';
import { dialog } from './keys.ts';
import { ActButton, say } from './parts/form.tsx';
import { Help } from './parts/help.tsx';
import { KeyNeeded } from './parts/key-needed.tsx';
import { Palette } from './parts/palette.tsx';
import { PastBar } from './parts/past-bar.tsx';
import { paid } from './parts/text.tsx';
import { Toasts } from './parts/toasts.tsx';
import { useLive } from './state/live.ts';
import { link, parts } from './state/route.ts';
import { saved, type Saved } from './state/saved.ts';
import { focusTitle } from './state/focus.ts';
import { key } from './state/session.ts';
import { isPastShown } from './state/past.ts';
import { askPermission, needsYou, permission, projectName, useTab } from './state/tab.ts';
import { nextTheme, theme } from './state/theme.ts';
import { Costs } from './views/costs.tsx';
import { Inbox } from './views/inbox.tsx';
import { Message } from './views/message.tsx';
import { Role, Roles } from './views/roles.tsx';
import { Run } from './views/run.tsx';
import { Runs } from './views/runs.tsx';
import { Send } from './views/send.tsx';
import { Threads } from './views/threads.tsx';
import { Turn } from './views/turn.tsx';
import { WhyView } from './views/why.tsx';
import { Workflow, Workflows } from './views/workflows.tsx';
import { viewsOf, type PageExtension } from './extension.ts';
import { Empty, View } from './parts/panel.tsx';
import type { InboxDocument } from '../documents/inbox.ts';
import type { Overview } from '../documents/status.ts';

/** The views in the list, by their places. */
const places: readonly (readonly [place: string, name: string])[] = [
  ['inbox', 'Inbox'],
  ['roles', 'Roles'],
  ['threads', 'Threads'],
  ['runs', 'Runs'],
  ['workflows', 'Workflows'],
  ['costs', 'Costs'],
];

/** The extensions of the page. */
interface Extended {
  readonly extensions: readonly PageExtension[];
}

export function App({ extensions }: Extended) {
  const [view = '', id = '', part = ''] = parts.value;
  // With the view, before a person can have moved the focus in it.
  useLayoutEffect(announcePlace, [view, id, part]);
  if (saved === null && key.value === null) return <KeyNeeded />;
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      {saved === null ? <Sidebar /> : <SavedBar saved={saved} />}
      <div class="column">
        <Connection />
        {isPastShown.value && <PastBar close={() => (isPastShown.value = false)} />}
        <main id="main" tabIndex={-1}>
          <Outlet extensions={extensions} />
        </main>
      </div>
      <Toasts />
      {dialog.value === 'palette' && <Palette />}
      {dialog.value === 'help' && <Help />}
    </>
  );
}

/** The fragment is the route, so a link to a part of the page moves the focus itself. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

let isFirst = true;

/** A new view is announced by its title, and begins at its top. */
function announcePlace(): void {
  if (!isFirst) {
    scrollTo(0, 0);
    focusTitle();
  }
  isFirst = false;
}

function Outlet({ extensions }: Extended) {
  const [view = '', id = null, part = null] = parts.value;
  switch (view) {
    case 'inbox':
      return <Inbox id={id} />;
    case 'roles':
      return id === null ? <Roles /> : <Role name={id} />;
    case 'threads':
      return <Threads id={id} />;
    case 'messages':
      return <Message key={id} id={id ?? ''} />;
    case 'turns':
      return <Turn key={id} id={id ?? ''} />;
    case 'runs':
      return id === null ? <Runs /> : <Run key={id} id={id} />;
    case 'workflows':
      return <OfWorkflows id={id} part={part} extensions={extensions} />;
    case 'costs':
      return <Costs />;
    case 'send':
      return <Send key={id} role={id} />;
    case 'why':
      return <WhyView key={id} target={id ?? ''} />;
    default:
      return <Elsewhere />;
  }
}

function Elsewhere() {
  return (
    <View title="Nothing here">
      <Empty>
        This address leads nowhere. <a href={link('inbox')}>Go to the inbox.</a>
      </Empty>
    </View>
  );
}

function OfWorkflows({
  id,
  part,
  extensions,
}: Extended & { readonly id: string | null; readonly part: string | null }) {
  if (id === null) return <Workflows extensions={extensions} />;
  const Added = viewsOf(extensions).find((each) => each.part === part)?.View;
  return Added === undefined ? (
    <Workflow key={id} id={id} extensions={extensions} />
  ) : (
    <Added key={id} id={id} />
  );
}

function Sidebar() {
  const inbox = useLive<InboxDocument>('/inbox');
  const status = useLive<Overview>('/status').value.value;
  const items = inbox.value.value?.items ?? null;
  const session = useLive<Session>('/session').value.value;
  useTab(session?.project ?? '', items);
  const waiting = needsYou(items ?? []).length;
  const running = status?.runs.filter(({ state }) => state !== 'stopped').length ?? 0;
  const counts: Readonly<Record<string, number>> = { inbox: waiting, runs: running };
  const [here] = parts.value;
  return (
    <nav class="sidebar" aria-label="Views">
      <Brand session={session} />
      <ul>
        {places.map(([place, name]) => (
          <li key={place}>
            <a href={link(place)} aria-current={here === place ? 'page' : undefined}>
              {name}
              {(counts[place] ?? 0) > 0 && <span class="count">{counts[place]}</span>}
            </a>
          </li>
        ))}
      </ul>
      <Foot status={status} />
    </nav>
  );
}

function standsOf({ at, controller, paused }: Overview): string {
  if (at !== null) return 'The past';
  if (controller === null) return 'No controller runs';
  return paused.all ? 'All roles are paused' : 'A controller runs';
}

/** How the project stands, and what is reached from every view. */
function Foot({ status }: { readonly status: Overview | null }) {
  return (
    <div class="foot">
      {status !== null && (
        <p class="dim">
          {standsOf(status)}
          {paid(status.cost.today) !== '' && ` · today: ${paid(status.cost.today)}`}
        </p>
      )}
      {status?.paused.all === true && status.at === null && (
        <ActButton kind="primary" act={() => say('', 'unpause')}>
          Continue all
        </ActButton>
      )}
      <button type="button" class="quiet" onClick={() => (dialog.value = 'palette')}>
        Find <kbd>Ctrl K</kbd>
      </button>
      <button
        type="button"
        class="quiet"
        aria-expanded={isPastShown.value}
        onClick={() => (isPastShown.value = true)}
      >
        The past <kbd>h</kbd>
      </button>
      <button type="button" class="quiet" onClick={nextTheme}>
        {`Theme: ${theme.value}`}
      </button>
      {permission.value === 'default' && (
        <button type="button" class="quiet" onClick={() => void askPermission()}>
          Notify me
        </button>
      )}
      <button type="button" class="quiet" onClick={() => (dialog.value = 'help')}>
        Keys <kbd>?</kbd>
      </button>
    </div>
  );
}

/** The project, by the name of its folder, and who the person is for it. */
function Brand({ session }: { readonly session: Session | null }) {
  return (
    <a class="brand" href={link('inbox')}>
      Mailroom
      {session !== null && (
        <small title={oneLine(session.project)}>
          {projectName(session.project)} · {oneLine(session.name, 20)}
          {session.access === 'read' && ', may only read'}
        </small>
      )}
    </a>
  );
}

/** What a saved file has instead of the views. */
function SavedBar({ saved: { at, project, route } }: { readonly saved: Saved }) {
  useTab(project, null);
  return (
    <header class="sidebar">
      <a class="brand" href={route}>
        Mailroom
        <small>{oneLine(project, 30)}</small>
      </a>
      <div class="foot">
        <p class="dim">{`Saved ${moment(at)}. It does not change any more.`}</p>
        <button type="button" class="quiet" onClick={nextTheme}>
          {`Theme: ${theme.value}`}
        </button>
      </div>
    </header>
  );
}

/** Says that the server is gone: what is shown is old, what is typed stays. */
function Connection() {
  if (connection.value !== 'lost') return null;
  return (
    <div class="lost" role="alert">
      <strong>The server is gone.</strong> What you see is as it was; what you type stays. The page connects
      again automatically.{' '}
      <button type="button" onClick={reconnect}>
        Try now
      </button>
    </div>
  );
}
