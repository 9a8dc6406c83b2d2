/* What people do while the controller is killed. */
import type { Place } from '../place.ts';
import { dropSealed } from '../seal.ts';

export const letter = (type: string, subject: string, more = ''): string =>
  `---\ntype: ${type}\nsubject: ${subject}\n${more}---\nWords\n`;

/** Gives a role a task, which it reads from the subject. */
export function task(place: Place, subject: string, role = 'maker'): void {
  place.drop(`agents/${role}/inbox/${subject.replaceAll(' ', '-')}.md`, letter('task', subject));
}

type Target =
  | { readonly kind: 'role'; readonly role: string }
  | { readonly kind: 'letter'; readonly role: string; readonly name: string }
  | { readonly kind: 'turn'; readonly turn: string };

/** What a person tells the controller. `number`: makes its id. */
export function command(place: Place, number: number, verb: string, target: Target): void {
  const id = `01800000-0000-7000-8000-${String(number).padStart(12, '0')}`;
  const document = { id, at: 0, by: 'tester', verb, target, now: false };
  dropSealed(place, `.mailroom/control/${id}.json`, JSON.stringify(document));
}

function mailOf(place: Place): string[] {
  return place.list('agents/user/inbox').map((name) => place.read(`agents/user/inbox/${name}`));
}

/** A person does what the notice of a conflict says, and keeps both sides. Returns what went wrong. */
export function resolveConflict(place: Place): string[] {
  const notice = mailOf(place).find((text) => text.includes('\nsubject: "Conflict: ')) ?? '';
  const [, checkout = ''] = /`(\.mailroom\/worktrees\/[^`]+)`/.exec(notice) ?? [];
  const [, message = ''] = /`mailroom retry (\w+)`/.exec(notice) ?? [];
  const file = `${checkout}/made/both.txt`;
  const conflict = place.read(file);
  if (!/^<{7} /m.test(conflict)) return [`no conflict lies in ${file}: ${conflict}`];
  place.write(file, conflict.replaceAll(/^[<=>|]{7}.*\n/gm, ''));
  const sent = ['left', 'right'].flatMap((role) =>
    place.list(`agents/${role}/sent`).flatMap((month) => place.list(`agents/${role}/sent/${month}`)),
  );
  const name = sent.find((each) => each.endsWith(`${message}.md`));
  if (name === undefined) return [`no message ends in ${message}: ${sent.join(', ')}`];
  command(place, 3, 'retry', { kind: 'letter', role: 'maker', name });
  return [];
}

/** A person allows what an agent asks for, by a command with this number. False: it asks for nothing. */
export function allow(place: Place, number: number): boolean {
  const [, turn] = /^mailroom approve (t\d+)$/m.exec(mailOf(place).join('\n')) ?? [];
  if (turn === undefined) return false;
  command(place, number, 'approve', { kind: 'turn', turn });
  return true;
}
