import type { RoleName } from '../core/mail/message.ts';
import type { Protocol } from '../core/mail/protocol.ts';
import type {
  Clock,
  Control,
  Journal,
  Mailboxes,
  Provider,
  Runner,
  Trail,
  TurnFolders,
} from '../core/ports.ts';

/** Everything that the mail host needs from outside. */
export interface HostPorts {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly mailboxes: Mailboxes;
  readonly control: Control;
  readonly folders: TurnFolders;
  readonly runner: Runner;
  readonly trail: Trail;
  readonly providers: ReadonlyMap<string, Provider>;
  /** A new uuid v7. */
  newId(): string;
  /** The text of role.md; empty when there is none. */
  roleText(role: RoleName): string;
  /** The absolute path of the project. */
  readonly project: string;
}

export interface HostOptions {
  readonly protocol: Protocol;
  /** Names the protocol as read: an edit gives another one. */
  readonly protocolHash: string;
  readonly version: string;
}
