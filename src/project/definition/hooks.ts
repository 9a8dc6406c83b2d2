import type { Currency } from '../../kernel/cost.ts';
import type { Channel } from '../../channels/machine/contract.ts';
import type { Marks } from '../../channels/host/marks.ts';
import type { ChannelConfig, Config } from '../../config/config.ts';
import type { Disk } from '../../disk/disk.ts';
import type { MailEvent } from '../../mail/machine/event.ts';
import type { MailState } from '../../mail/machine/state.ts';
import type { Rules } from '../../workflow/machine/rules.ts';
import type { RunHistory } from './contracts.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What an extension may add to the hosts of a project. Each loads its code only when it is called.
 */
export interface Hooks {
  /** Follows the mail of a host; null: nothing is to be followed. */
  readonly followMail?: (environment: Environment) => Promise<MailFollower | null>;
  /** Reports a run that has ended. Resolves to why it could not; null: it did, or was not to. */
  readonly reportRun?: (run: EndedRun, environment: Environment) => Promise<string | null>;
  /** What runs count besides dollars and tokens. */
  readonly currency?: (config: Config) => Currency;
  /** Opens channels by their kind; they connect later. Throws `E_USAGE` for a missing secret. */
  readonly channels?: { readonly [Kind in ChannelConfig['kind']]?: OpenChannel<Kind> };
}

export interface MailFollower {
  /** Takes what is under way, at the start of a host. */
  remember(state: MailState): void;
  /** Takes durable events, which are in the state. Never throws. */
  take(events: readonly MailEvent[], state: MailState): void;
  /** What does not work now, in words; null: all does. */
  readonly problem: string | null;
  /** Resolves when nothing is on its way any more. */
  flush(): Promise<void>;
}

export interface EndedRun {
  readonly run: string;
  readonly rules: Rules;
  /** What its journal keeps of it; reads that. */
  readonly history: () => RunHistory;
}

export type OpenChannel<Kind extends ChannelConfig['kind']> = (
  settings: Extract<ChannelConfig, { readonly kind: Kind }>,
  place: { readonly disk: Disk; readonly marks: Marks; readonly environment: Environment },
) => Promise<Channel>;
