import { counted } from '../kernel/enumerate.ts';
import { cut } from './columns.ts';
import { ahead, clock, money } from './format.ts';
import { doing } from './status-text.ts';
import type { Colours, Room } from './terminal.ts';
import type { MailStatus } from '../operations/documents/status.ts';

/** The live view of `up`: one line of totals, paused roles, and a line for each active role. */
export function blockLines(status: MailStatus, now: number, colours: Colours, room: Room): string[] {
  const { roles, parked, paused, threads } = status;
  const of = (state: string) => threads.filter((thread) => thread.state === state).length;
  const running = roles.reduce((sum, role) => sum + role.running, 0);
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
  const width = Math.max(0, ...roles.map(({ name }) => name.length));
  const busy = roles
    .filter((role) => role.state !== 'idle' || role.owes.length > 0 || role.inbox > 0)
    .map((role) => {
      const mail = role.inbox > 0 ? `${String(role.inbox)} in inbox` : '';
      const words = [doing(role, status.turns, now), mail].filter((part) => part !== '').join('; ');
      return { state: role.state, text: `${role.name.padEnd(width)}  ${role.state.padEnd(7)}  ${words}` };
    });
  const fitting = busy.slice(0, Math.max(1, room.rows - 1 - held.length));
  const hidden = busy.length - fitting.length;
  const fit = (text: string) => cut(text, room.columns - 1);
  return [
    colours.dim(fit(`── ${figures.join(' · ')} ──`)),
    ...held.map((text) => colours.yellow(fit(text))),
    ...fitting.map(({ state, text }) => (state === 'running' ? colours.green(fit(text)) : fit(text))),
    ...(hidden > 0 ? [colours.dim(fit(`and ${String(hidden)} more`))] : []),
  ];
}
