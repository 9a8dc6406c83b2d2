import type { Published } from '../../host/holder.ts';
import type { MailHost } from '../host/mail-host.ts';
import type { Trail } from '../../git/trail.ts';
import type { UpWorkflows } from '../../workflow/host/up-host.ts';
import type { ControllerOptions } from './contract.ts';
import type { StatusKeeper } from './kept-status.ts';
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

/** What to do after each look of a controller. */
export function afterLook(
  host: MailHost,
  { onChange }: ControllerOptions,
  kept: StatusKeeper,
  others: readonly (() => void)[],
): () => void {
  return () => {
    onChange(host.state);
    kept.look(host.state);
    for (const other of others) other();
  };
}
