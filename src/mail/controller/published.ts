import type { Published } from '../../host/holder.ts';
import type { MailHost } from '../host/mail-host.ts';
import type { Trail } from '../../git/trail.ts';
import type { UpWorkflows } from '../../workflow/host/up-work.ts';
import type { Lookout } from './lookout.ts';

/** What holds a controller up, in words. */
export function problemsOf(
  host: MailHost,
  trail: Trail,
  lookout: Lookout,
  workflows: UpWorkflows | null,
): readonly string[] {
  const own = [host.problem, trail.problem()].filter((each) => each !== null);
  return [...new Set([...own, ...host.waits]), ...lookout.problems(), ...(workflows?.problems() ?? [])];
}

export function publishedOf(
  { turns }: MailHost,
  problems: readonly string[],
  slots: Published['slots'],
): Published {
  return { problems, held: turns.waits.held, slots };
}
