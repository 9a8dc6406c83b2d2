import type { Config } from '../../config/config.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Message } from '../../mail/format/message.ts';
import { startDetached } from '../../process/supervision/detached.ts';

/** Variables of the host that every notification command sees, besides the usual ones. */
const ofTheDesktop = ['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_*', 'XDG_*'];

/**
 * Starts the command of mailroom.yaml for mail that a person has received, if there is one. Its
 * result is ignored: the mail is in the inbox whatever becomes of it.
 */
export function notifyPerson(
  project: string,
  { notify }: Pick<Config, 'notify'>,
  role: RoleName,
  { id, type, from, subject, thread }: Message,
): void {
  const notifier = Object.hasOwn(notify, role) ? notify[role] : undefined;
  if (notifier === undefined) return;
  startDetached(notifier.command, project, {
    inherit: [...ofTheDesktop, ...notifier.env],
    set: {
      MAILROOM_PROJECT: project,
      MAILROOM_MESSAGE: id,
      MAILROOM_TO: role,
      MAILROOM_TYPE: type,
      MAILROOM_FROM: from,
      MAILROOM_SUBJECT: subject,
      MAILROOM_THREAD: thread,
    },
  });
}
