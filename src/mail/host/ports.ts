import type { Journal } from '../../disk/journal.ts';
import type { MailEvent } from '../machine/event.ts';
import type { Control } from '../../host/control.ts';
import type { TurnFolders } from '../mailboxes/turn-folders.ts';
import type { Mailboxes } from '../mailboxes/mailboxes.ts';
import type { Message } from '../format/message.ts';
import type { Protocol } from '../format/protocol.ts';
import type { SlotUser } from '../../host/slots.ts';
import type { Parking } from '../../host/parking.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Provider, TurnTools } from '../../providers/provider.ts';
import type { Runner } from '../../host/runner/runner.ts';
import type { Trail } from '../../git/trail.ts';
import type { RunMail } from '../../host/run-mail.ts';

/** Everything that the mail host needs from outside. */
export interface HostPorts {
  readonly clock: Clock;
  readonly journal: Journal<MailEvent>;
  readonly mailboxes: Mailboxes;
  readonly control: Control;
  /** Missing: no runs of workflows are there. */
  readonly runs?: RunMail;
  readonly folders: TurnFolders;
  readonly runner: Runner;
  readonly trail: Trail;
  readonly providers: ReadonlyMap<string, Provider>;
  /** Whether a provider's turns are looked at afterwards: what changed that they had no right to. Missing: none is. */
  verifies?(provider: string): boolean;
  /** Missing: turns get none. */
  readonly tools?: TurnTools;
  /** A new uuid v7. */
  newId(): string;
  /** The text of role.md; empty when there is none. */
  roleText(role: RoleName): string;
  /** The absolute path of the project. */
  readonly project: string;
  /** Providers that are at their limit, as all hosts of the project know it: until when, in milliseconds since 1970. */
  readonly parking: Parking;
  /** Called when a person gets mail; may be called twice for the same message. */
  notify(role: RoleName, message: Message): void;
  /** Where the trail ends: what the journal says after it is committed first. Null: there is no trail. */
  readonly trailAt: number | null;
}

export interface HostOptions {
  readonly protocol: Protocol;
  /** Names the protocol as read: an edit gives another one. */
  readonly protocolHash: string;
  readonly version: string;
  /**
   * The machine was started anew since the last host: mail that the folders lack was lost with what was not synced. Without
   * it such mail was withdrawn by hand.
   */
  readonly rebooted?: boolean;
  /** What its processes are shared by; missing: nothing else runs in this process. */
  readonly slots?: SlotUser;
  /** Called with messages once they are durable: each once, but for one that a crash came after. */
  readonly onSent?: (messages: readonly Message[]) => void;
}
