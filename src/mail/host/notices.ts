import { createHash } from 'node:crypto';
import { oneLine } from '../../kernel/one-line.ts';
import { counted } from '../../kernel/enumerate.ts';
import { codeSpan, firstLineThenFence } from '../../kernel/quoting.ts';
import type { Reason } from '../../kernel/errors.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { ControlFile } from '../../letters/letters.ts';
import { copyKey } from '../machine/fold/places.ts';
import { mailroom, subjectLine } from '../format/message.ts';
import type { RefusedFile } from '../../host/control.ts';
import type { WatchedBudget } from '../../kernel/spent-budget.ts';
import type { Limits, Protocol } from '../format/protocol.ts';
import { limitOf } from '../machine/rules/thread-budgets.ts';
import { Slots } from '../machine/rules/slots.ts';
import { dayOf, isLimited } from '../../kernel/money.ts';
import type { MailLedger } from './ledger.ts';

/** The folder of invalid requests, each with the reason beside it. */
const refusedFolder = '.mailroom/refused';

/**
 * Notifies `user` of an invalid request file: once, even when the controller is killed before it
 * sets the file aside.
 */
export function reportRefused(ledger: MailLedger, { path, name, text, problem, others }: RefusedFile): void {
  const more = others === 0 ? '' : ` and ${counted(others, 'more file')}`;
  notifyOnce(ledger, [path, text ?? problem], `Refused: ${path.slice(0, 200)}${more}`, [
    `${path} was not followed: ${problem}.`,
    `It lies in ${refusedFolder}/${name}, unchanged, with the reason beside it. Nothing else was changed.`,
    ...(others === 0 ? [] : [`So do ${counted(others, 'more file')} of that folder.`]),
  ]);
}

/** Like `reportRefused`, for a failed command whose sender no longer waits for the verdict. */
export function reportRefusedCommand(ledger: MailLedger, file: ControlFile, { text }: Reason): void {
  const { id, verb, target, by } = file;
  const what = `${verb} ${nameOf(target)}`;
  notifyOnce(ledger, [id, what], `Refused: ${what}`, [
    firstLineThenFence(`${codeSpan(what)}, which ${oneLine(by)} asked for, was refused: ${text}`),
    'Nothing was changed.',
  ]);
}

function nameOf(target: ControlFile['target']): string {
  switch (target.kind) {
    case 'all':
      return 'all';
    case 'role':
      return target.role;
    case 'thread':
      return target.thread;
    case 'turn':
      return target.turn;
    case 'letter':
      return `${target.name} of ${target.role}`;
  }
}

/** Sends a person a notice. `about`: notices with the same value are sent once. */
export function notifyOnce(
  ledger: MailLedger,
  about: readonly string[],
  subject: string,
  lines: readonly string[],
  to: RoleName = 'user',
): void {
  const id = idOf(about);
  if (wasNotified(ledger, about, to)) return;
  const message = {
    id,
    type: 'notice',
    from: mailroom,
    to: [to],
    thread: id,
    inReplyTo: null,
    subject: subjectLine(subject),
    created: ledger.now(),
    work: null,
    attachments: [],
    fields: {},
    extra: {},
    body: lines.join('\n'),
  };
  const rest = {
    request: null,
    answers: null,
    late: false,
    closes: true,
    joins: [],
    people: [to],
    opens: null,
  };
  ledger.record([{ type: 'accepted', sent: { message, ...rest } }]);
}

/** Whether a person got a notice about this, as long as the mail remembers it. */
export function wasNotified({ state }: MailLedger, about: readonly string[], to: RoleName = 'user'): boolean {
  const id = idOf(about);
  return state.mail.has(id) || state.unread.has(copyKey(id, to));
}

function idOf(about: readonly string[]): string {
  const hash = createHash('sha256').update(about.join('\n')).digest('hex');
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `7${hash.slice(12, 15)}`,
    `a${hash.slice(15, 18)}`,
    hash.slice(18, 30),
  ].join('-');
}

/** Notifies `user` that the machine holds work for this reason, at most once an hour. */
export function notifyHeld(ledger: MailLedger, words: string): void {
  // A notice needs room on the disk of the project itself.
  if (words.includes('.mailroom/')) return;
  const hour = String(Math.floor(ledger.now() / 3_600_000));
  notifyOnce(ledger, ['host', hour], 'This machine holds work up', [
    `${words[0]!.toUpperCase()}${words.slice(1)}.`,
    '',
    'No attempt has failed. Work continues without you once this is repaired; `mailroom status` shows it.',
  ]);
}

/** Notifies `user`, once a day, that mail waits for the budget of the next one. */
export function notifyDayOver(ledger: MailLedger, protocol: Protocol): void {
  const { dayBudget } = protocol.limits;
  if (!isLimited(dayBudget)) return;
  const { state } = ledger;
  const slots = new Slots(state, protocol, ledger.now());
  const waiting = new Set([...state.turns.values()].map(({ role }) => role));
  for (const [name, { queue, requests, answered }] of state.roles)
    if (queue.size + requests.size + answered.size > 0) waiting.add(name);
  for (const { name, budget, provider } of protocol.roles.values()) {
    const over = provider === 'human' || !waiting.has(name) ? null : slots.dayOver(budget);
    if (over === null) continue;
    const about = ['day over', dayOf(ledger.now()), String(dayBudget.usd), String(dayBudget.tokens)];
    const how = 'at 00:00 UTC, or when `mailroom up` starts again with a higher `limits.budget.day`';
    notifyOnce(ledger, about, 'Mail waits for the budget of the next day', [
      `${name} waits: ${over}.`,
      '',
      `It continues ${how}.`,
    ]);
    return;
  }
}

/**
 * The budgets of a day and of the open threads. `user` is notified once of each, as long as the
 * mail remembers the notice, also across restarts.
 */
export function watchedBudgets(ledger: MailLedger, limits: Limits): WatchedBudget[] {
  const { spent, threads } = ledger.state;
  const { day, cost } = spent;
  const open = [...threads.values()].filter(({ state }) => state === 'open');
  return [
    {
      budget: limits.dayBudget,
      spent: cost,
      alert: ({ unit, limit, share, text }) =>
        notifyOnce(
          ledger,
          ['budget of a day', day, unit, String(limit)],
          `${share} of the budget of this day is spent: ${text}`,
          [
            `On ${day} (UTC), threads have cost ${text}.`,
            'When the budget is used up, mail waits for the next day. `limits.budget.day` sets it;',
            '`mailroom costs --since 1d` shows what was paid for.',
          ],
        ),
    },
    ...open.map((thread): WatchedBudget => ({
      budget: limitOf(limits, thread),
      spent: thread.cost,
      alert: ({ unit, limit, share, text }) =>
        notifyOnce(
          ledger,
          ['budget of a thread', thread.id, unit, String(limit)],
          `${share} of the budget of a thread is spent: ${text}`,
          [
            `The thread ${thread.id} has cost ${text}.`,
            'When the budget is used up, it fails with `E_BUDGET`. `limits.budget.thread` sets it;',
            `\`mailroom trail ${thread.id}\` shows the thread.`,
          ],
        ),
    })),
  ];
}
