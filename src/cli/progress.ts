import { counted } from '../kernel/enumerate.ts';
import type { Protocol } from '../mail/format/protocol.ts';
import { MailChanges, type Change } from './changes.ts';
import type { MailEvent } from '../mail/machine/event.ts';
import type { MailState } from '../mail/machine/state.ts';
import { summaryOf } from '../mail/controller/mail-summary.ts';
import { statusOf } from '../mail/questions/status.ts';
import { cut, wrap } from './columns.ts';
import { ahead, clock, line, money } from './format.ts';
import type { Keyboard } from './live-keys.ts';
import { doing, turnWords } from './status-text.ts';
import { ProgressLines } from './progress-lines.ts';
import type { Controller } from '../mail/controller/contract.ts';
import type { Colours, Room, Terminal } from './terminal.ts';
import type { MailStatus } from '../documents/status.ts';

export type Progress = ReturnType<typeof startProgress>;

/**
 * Shows what a controller does: one line per event, and on a terminal a block below them that is
 * redrawn in place, at most ten times a second and once a second for its clocks. `keys`: what a
 * person can press there; null: there is no terminal. `quiet`: keeps standard output free for a
 * document.
 */
export function startProgress(
  terminal: Terminal,
  controller: Controller,
  { keys, quiet }: { readonly keys: Keyboard | null; readonly quiet: boolean },
) {
  const live = keys && { lines: (room: Room) => statusLines(terminal, controller, room), keys };
  const lines = new ProgressLines(terminal, { live, quiet });
  const changes = new MailChanges(controller.state, money);
  lines.say(headline(controller.definition.protocol));
  lines.notes(controller.notes);
  return {
    /** Prints what has changed by events. */
    look: (state: MailState, events: readonly MailEvent[]): void => {
      lines.problems(controller.problems());
      lines.recoveries(controller.recoveries());
      if (events.length === 0) return;
      for (const change of changes.by(events, state)) lines.say(painted(change, lines.colours));
      lines.changed();
    },
    say: (text: string) => lines.say(text),
    close: () => lines.close(),
  };
}

/** Without a protocol the only role is `user`, which always exists. */
function headline({ name, roles }: Protocol): string {
  return roles.size > 1 ? `${name}: ${String(roles.size)} roles` : 'no protocol: only workflows are started';
}

function painted({ kind, text }: Change, colours: Colours): string {
  const plain = line(text);
  switch (kind) {
    case 'failed':
      return colours.red(plain);
    case 'notice':
    case 'held':
    case 'again':
      return colours.yellow(plain);
    case 'overdue':
      return colours.bold(colours.yellow(plain));
    case 'sent':
      return colours.cyan(plain);
    case 'thread':
      return colours.bold(plain);
    case 'started':
    case 'ended':
      return plain;
    default:
      return kind satisfies never;
  }
}

/** The turns that have run for at least this long, in words. */
export function turnsUnderWay(controller: Controller, now: number, least: number): string[] {
  return ownStatus(controller, now)
    .turns.filter((turn) => turn.state === 'running' && now - Date.parse(turn.since) >= least)
    .map((turn) => `${turn.role} ${turnWords(turn, now)}`);
}

/** The status of a controller of this process, with its problems. */
export function ownStatus(
  { definition, state, held }: Controller,
  now: number,
  problems: readonly string[] = [],
): MailStatus {
  return statusOf(summaryOf(state), { protocol: definition.protocol, problems, held: held(), now });
}

function statusLines({ now, colours }: Terminal, controller: Controller, room: Room): string[] {
  return blockLines(ownStatus(controller, now()), controller.runs(), now(), { colours, room });
}

/** The live view of `up`: one line of totals, paused roles, and a line for each active role. */
function blockLines(
  status: MailStatus,
  runs: number,
  now: number,
  { colours, room }: { readonly colours: Colours; readonly room: Room },
): string[] {
  const { roles, parked, paused, threads } = status;
  const of = (state: string) => threads.filter((thread) => thread.state === state).length;
  const running = roles.reduce((sum, role) => sum + role.running, runs);
  const waiting = roles.filter(({ state }) => state === 'waiting').length;
  const today = money(status.cost.today);
  const figures = [
    `${String(running)} running`,
    `${String(waiting)} waiting`,
    counted(of('open'), 'open thread'),
    ...(of('quiet') > 0 ? [`${String(of('quiet'))} quiet`] : []),
    ...(today === '' ? [] : [`${today} today`]),
  ];
  const held = [
    ...(paused.all ? ['everything is paused'] : []),
    ...parked.map(
      ({ provider, until }) =>
        `${provider} is rate limited until ${clock(until, now)}, ${ahead(until, now)} left`,
    ),
  ];
  const fit = (text: string) => cut(text, room.columns - 1);
  const most = Math.max(1, room.rows - 1 - held.length);
  const busy = busyRoles(status, now, { columns: room.columns, rows: most });
  let left = most;
  const over = busy.findIndex(({ rows }, index) => (left -= rows.length) < 0 && index > 0);
  const fitting = over === -1 ? busy : busy.slice(0, over);
  const hidden = busy.length - fitting.length;
  return [
    colours.dim(fit(`── ${figures.join(' · ')} ──`)),
    ...held.map((text) => colours.yellow(fit(text))),
    ...fitting.flatMap(({ state, rows }) =>
      rows.map((text) => (state === 'running' ? colours.green(fit(text)) : fit(text))),
    ),
    ...(hidden > 0 ? [colours.dim(fit(`and ${String(hidden)} more`))] : []),
  ];
}

/**
 * The rows of each active role. What is held shows its reason to the end; roles below with the same
 * reason do not repeat it.
 */
function busyRoles(
  { roles, turns }: MailStatus,
  now: number,
  { columns, rows: most }: Room,
): { readonly state: string; readonly rows: readonly string[] }[] {
  const width = Math.max(0, ...roles.map(({ name }) => name.length));
  const reasons = new Set<string>();
  return roles
    .filter((role) => role.state !== 'idle' || role.owes.length > 0 || role.inbox > 0)
    .map((role) => {
      const own = turns.filter((turn) => turn.role === role.name);
      const reason = own.find((turn) => turn.state === 'held')?.held ?? '';
      const mail = role.inbox > 0 ? `${String(role.inbox)} in inbox` : '';
      const words = [doing(role, own, now), mail].filter((part) => part !== '').join('; ');
      const text = `${role.name.padEnd(width)}  ${role.state.padEnd(7)}  ${words}`;
      if (reason === '') return { state: role.state, rows: [text] };
      const isKnown = reasons.has(reason);
      reasons.add(reason);
      const whole = wrap(text, columns - 1).split('\n');
      const rows = isKnown ? [text.replace(`: ${line(reason)}`, '')] : whole.slice(0, most);
      return { state: role.state, rows };
    });
}
