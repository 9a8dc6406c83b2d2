import { isDeepStrictEqual } from 'node:util';
import { apply } from '../../../../src/mail/machine/apply.ts';
import type { MailEvent } from '../../../../src/mail/machine/event.ts';
import type { Protocol } from '../../../../src/mail/format/protocol.ts';
import { emptyState, type MailState } from '../../../../src/mail/machine/state.ts';
import { readKeptStatus, statusSource } from '../../../../src/mail/controller/kept-status.ts';
import { RealDisk } from '../../../../src/disk/real-disk.ts';
import { checkFolders, checkHistory, checkLaunches, checkRest } from '../../simulation/mail/properties.ts';
import { checkTrail } from './check-trail.ts';
import { historyOf } from '../history.ts';
import type { Place } from '../place.ts';
import type { MailKind } from './kinds.ts';

/** What must hold when a project has come to rest, looked at from outside: files, git, what agents wrote down. */
export function checkPlace(
  place: Place,
  protocol: Protocol,
  leads: readonly string[],
  { git = false, landed = {} }: MailKind,
): string[] {
  let events: MailEvent[];
  try {
    events = historyOf(place, '.mailroom');
  } catch (error) {
    return [`the journal cannot be read: ${String(error)}`];
  }
  const disk = new RealDisk(place.root);
  const problems = [...checkHistory(events, protocol), ...checkFolders(disk, events, protocol)];
  const state = events.reduce(apply, emptyState());
  problems.push(...checkRest(state, protocol), ...checkKeptStatus(disk, state));
  problems.push(...checkAsked(place, events, protocol));
  problems.push(...checkLeads(place, leads), ...checkReasons(place, protocol));
  if (!git) return problems;
  return [
    ...problems,
    ...checkTrail(place),
    ...checkWork(place, events),
    ...checkLanded(place, events, landed),
  ];
}

/** What `status` takes from the state is what the journal says, if anything counts as kept. */
function checkKeptStatus(disk: RealDisk, state: MailState): string[] {
  const kept = readKeptStatus(disk);
  const folded: unknown = JSON.parse(JSON.stringify(statusSource(state)));
  return kept === null || isDeepStrictEqual(kept, folded)
    ? []
    : ['the kept status is not that of the journal'];
}

/** Agents write down that they were asked: no invocation twice, and none that the journal does not know. */
function checkAsked(place: Place, events: readonly MailEvent[], protocol: Protocol): string[] {
  const asked = place
    .read('asked.log')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' ').slice(0, 3).join('/'));
  const launched = new Set(
    events.flatMap((event) =>
      event.type === 'launched' ? [`${event.turn}/${String(event.attempt)}/${String(event.round)}`] : [],
    ),
  );
  const unknown = asked.filter((key) => !launched.has(key));
  return [
    ...checkLaunches(asked, events, protocol),
    ...unknown.map((key) => `${key} was asked, and the journal does not know it`),
  ];
}

/** What the person finds: everything that was promised, each once, and nothing else. Otherwise also what notices say. */
function checkLeads(place: Place, leads: readonly string[]): string[] {
  const texts = place.list('agents/user/inbox').map((name) => place.read(`agents/user/inbox/${name}`));
  const found = texts.map(lead).toSorted();
  const wanted = leads.toSorted();
  if (found.join('\n') === wanted.join('\n')) return [];
  const notices = texts.filter((text) => lead(text).startsWith('notice '));
  return [`user finds [${found.join(', ')}], not [${wanted.join(', ')}]`, ...notices];
}

/** `type subject`; of a notice only what it is about, as its other words depend on when the crash came. */
function lead(text: string): string {
  const [, type = ''] = /^type: (.*)$/m.exec(text) ?? [];
  const [, subject = ''] = /^subject: ["']?(.*?)["']?$/m.exec(text) ?? [];
  return `${type} ${type === 'notice' ? (/^\w+/.exec(subject)?.[0] ?? '') : subject}`;
}

/** Every commit that a message names is there, and no branch or checkout is left half way. */
function checkWork(place: Place, events: readonly MailEvent[]): string[] {
  const sent = events.flatMap((event) => (event.type === 'committed' ? event.sent : []));
  const named = sent.flatMap(({ message }) => message.work ?? []);
  const problems = named
    .filter(({ commit, branch }) => place.git('branch', '--list', '--contains', commit, branch) === '')
    .map(({ commit, branch }) => `${branch} has lost ${commit}, which a message names`);
  const half = place.git('for-each-ref', '--format=%(refname)', 'refs/mailroom/laying');
  return half === '' ? problems : [...problems, `a checkout is half written: ${half}`];
}

/** The branch of the person is where the last landing left it, if any, and the checkout of it has followed. */
function checkLanded(
  place: Place,
  events: readonly MailEvent[],
  landed: Readonly<Record<string, string>>,
): string[] {
  const sent = events.flatMap((event) => (event.type === 'committed' ? event.sent : []));
  const commits = sent.flatMap(({ message }) => message.work?.landed?.commit ?? []);
  const order = place.git('rev-list', '--reverse', '--topo-order', 'main').split('\n');
  const [begin = ''] = order;
  const tip = order.at(-1) ?? '';
  return [
    ...commits
      .filter((commit) => !order.includes(commit))
      .map((commit) => `${commit} landed, and is not on main`),
    ...([begin, ...commits].includes(tip) ? [] : [`main is at ${tip}, and no landing was recorded`]),
    ...(commits.length === 0 && tip !== begin ? ['the branch of the person has moved'] : []),
    ...Object.entries(landed)
      .filter(([path, text]) => place.read(path) !== text)
      .map(([path]) => `${path} has not landed`),
    ...(place.list('.git').includes('index.lock') ? ['the index is locked'] : []),
  ];
}

/** Whatever failed has its reason beside it. */
function checkReasons(place: Place, protocol: Protocol): string[] {
  return [...protocol.roles.keys()].flatMap((role) =>
    place.list(`agents/${role}/failed`).flatMap((month) => {
      const names = new Set(place.list(`agents/${role}/failed/${month}`));
      return [...names]
        .filter((name) => name.endsWith('.md') && !names.has(`${name}.reason.txt`))
        .map((name) => `${role}/failed/${name} has no reason beside it`);
    }),
  );
}
