import type { Wired } from '../../project/definition/definition.ts';
import type { MailHost } from '../host/mail-host.ts';
import type { MailEvent } from '../machine/event.ts';
import type { MailState } from '../machine/state.ts';

/** What follows the mail: extensions, and who watches the controller. */
export async function followersOf({ hooks, environment }: Pick<Wired, 'hooks' | 'environment'>) {
  const found = await Promise.all(hooks.flatMap((each) => each.followMail?.(environment) ?? []));
  const followers = found.filter((each) => each !== null);
  const events: MailEvent[] = [];
  return {
    take: (recorded: readonly MailEvent[], state: MailState): void => {
      for (const each of followers) each.take(recorded, state);
      events.push(...recorded);
    },
    start: (host: MailHost): void => {
      for (const each of followers) each.remember(host.state);
      host.start();
      // Who watches begins with the state after the start.
      events.length = 0;
    },
    /** The durable events since the last call. */
    fresh: () => events.splice(0),
    problems: () => followers.flatMap(({ problem }) => problem ?? []),
    flush: () => Promise.all(followers.map((each) => each.flush())),
  };
}
