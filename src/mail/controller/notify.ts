import type { Config } from '../../config/config.ts';
import type { RoleName } from '../../kernel/ids.ts';
import { oneLine } from '../../kernel/one-line.ts';
import type { Message } from '../format/message.ts';
import { startDetached } from '../../process/supervision/detached.ts';
import type { WaitingApproval } from '../../workflow/host/ports.ts';

/** Variables of the host that every notification command sees, besides the usual ones. */
const ofTheDesktop = ['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_*', 'XDG_*'];

/** The longest text of a gate in a variable; a longer one would keep the command from starting. */
const longestSubject = 1_000;

type Notifiers = Pick<Config, 'notify'>;

/**
 * Starts the command of mailroom.yaml for mail that a person has received, if there is one. Its
 * result is ignored: the mail is in the inbox whatever becomes of it.
 */
export function notifyPerson(
  project: string,
  config: Notifiers,
  role: RoleName,
  { id, type, from, subject, thread }: Message,
): void {
  start(project, config, role, {
    MAILROOM_MESSAGE: id,
    MAILROOM_TYPE: type,
    MAILROOM_FROM: from,
    MAILROOM_SUBJECT: subject,
    MAILROOM_THREAD: thread,
  });
}

/**
 * Does the same for a gate that waits: the command of each approver who has one, else that of
 * `user`.
 */
export function notifyApprovers(project: string, config: Notifiers, gate: WaitingApproval): void {
  const { run, workflow, path, message, approvers } = gate;
  const known = approvers.filter((name) => Object.hasOwn(config.notify, name));
  for (const name of known.length === 0 ? ['user'] : known)
    start(project, config, name, {
      MAILROOM_MESSAGE: run,
      MAILROOM_GATE: path,
      MAILROOM_TYPE: 'gate',
      MAILROOM_FROM: workflow,
      MAILROOM_SUBJECT: oneLine(message.replaceAll(/\s+/g, ' '), longestSubject),
    });
}

function start(
  project: string,
  { notify }: Notifiers,
  to: string,
  about: Readonly<Record<string, string>>,
): void {
  const notifier = Object.hasOwn(notify, to) ? notify[to] : undefined;
  if (notifier === undefined) return;
  startDetached(notifier.command, project, {
    inherit: [...ofTheDesktop, ...notifier.env],
    set: { MAILROOM_PROJECT: project, MAILROOM_TO: to, ...about },
  });
}
