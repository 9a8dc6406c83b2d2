import type { MailEvent } from '../machine/event.ts';
import type { MailState } from '../machine/state.ts';
import type { TurnFolders } from '../mailboxes/turn-folders.ts';
import type { Mailboxes } from '../mailboxes/mailboxes.ts';
import type { Message } from '../format/message.ts';
import type { Protocol } from '../format/protocol.ts';
import type { HostPorts } from '../../host/ports.ts';
import type { SlotUser } from '../../host/slots.ts';
import type { RoleName } from '../../kernel/ids.ts';
import type { TurnTools } from '../../providers/provider.ts';
import type { Runner } from '../../host/runner/runner.ts';
import type { Trail } from '../../git/trail.ts';
import type { RunMail } from '../../host/run-mail.ts';

/** Everything outside the mail host that it depends on. */
export interface MailPorts extends HostPorts<MailEvent, Runner> {
  readonly mailboxes: Mailboxes;
  /** Missing: the project has no workflow runs. */
  readonly runs?: RunMail;
  readonly folders: TurnFolders;
  readonly trail: Trail;
  /** Whether a provider's turns are checked afterwards for changes without permission. */
  verifies(provider: string): boolean;
  /** The providers whose programs cannot be found now. Missing: all programs exist. */
  missingProviders?(): ReadonlySet<string>;
  /** For the roles that have them. Missing: no turn gets tools. */
  readonly tools?: TurnTools;
  /** A new uuid v7. */
  newId(): string;
  /** The text of role.md; empty when the file is missing. */
  roleText(role: RoleName): string;
  /** Called when a person gets mail; can be called twice for the same message. */
  notify(role: RoleName, message: Message): void;
  /**
   * The last event in the trail; later events of the journal are committed first. Null: there is no
   * trail.
   */
  readonly trailAt: number | null;
}

/** Where answers may lie besides the folders. */
export interface Elsewhere {
  /** Whether all of it has been read since the start, or since `refresh`. */
  readonly isFresh: boolean;
  refresh(): void;
}

export interface MailOptions {
  readonly protocol: Protocol;
  /** Identifies the content of the protocol: an edit changes it. */
  readonly protocolHash: string;
  readonly version: string;
  /**
   * The machine rebooted since the last host: mail missing from the folders was lost as unsynced
   * writes. Otherwise it was withdrawn by hand.
   */
  readonly rebooted?: boolean;
  /** When its last host ran last, in milliseconds since 1970; missing: at the last event. */
  readonly lastRan?: number | null;
  /** Missing: answers lie only in the folders. */
  readonly elsewhere?: Elsewhere;
  /** Shares the slots of this process; missing: no other user. */
  readonly slots?: SlotUser;
  /** Called with durable messages: once each, except after a crash. */
  readonly onSent?: (messages: readonly Message[]) => void;
  /** Called with durable events, which are in the state. */
  readonly onEvents?: (events: readonly MailEvent[], state: MailState) => void;
}
