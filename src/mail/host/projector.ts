import type { Protocol } from '../format/protocol.ts';
import type { MailState, Projection } from '../machine/state.ts';
import type { DiskGuard } from '../../disk/disk-guard.ts';
import { inboxText, project, type Expected } from './project.ts';
import type { MailPorts } from './ports.ts';
import type { MessageId, RoleName } from '../../kernel/ids.ts';

/** The pending projections. */
interface Pending {
  /** Roles with pending projections: files missing there may never have been written. */
  readonly roles: ReadonlySet<RoleName>;
  /** Refused files whose only copy is the accepted one. */
  readonly refused: ReadonlySet<MessageId>;
}

/**
 * Projects the journal's state to the folders. Retries what the disk refuses at a later look,
 * without delaying the rest. Neither writes nor reports a projection twice.
 */
export class MailboxProjector {
  readonly #ports: Pick<MailPorts, 'mailboxes' | 'runs' | 'notify'>;
  readonly #protocol: Protocol;
  readonly #expected: Expected;
  readonly #projected = new WeakSet<Projection>();

  constructor(
    ports: Pick<MailPorts, 'mailboxes' | 'runs' | 'notify'>,
    protocol: Protocol,
    expected: Expected,
  ) {
    this.#ports = ports;
    this.#protocol = protocol;
    this.#expected = expected;
  }

  project(state: MailState, disk: DiskGuard): void {
    for (const projection of state.pendingProjections.values())
      if (!this.#projected.has(projection) && disk.succeeds(() => this.#projectOne(state, projection)))
        this.#projected.add(projection);
  }

  pending({ pendingProjections }: MailState): Pending {
    const left = [...pendingProjections.values()].filter((projection) => !this.#projected.has(projection));
    return {
      roles: new Set(left.map(({ role }) => role)),
      refused: new Set(left.flatMap((each) => (each.kind === 'refused' ? [each.id] : []))),
    };
  }

  #projectOne(state: MailState, projection: Projection): void {
    if (projection.kind === 'answer') return this.#ports.runs?.answer(projection.answer);
    if (!this.#protocol.roles.has(projection.role)) return;
    project(this.#ports.mailboxes, this.#expected, projection, (message, role) =>
      inboxText(state, this.#protocol, message, role),
    );
    if (projection.kind === 'copy' && projection.delivery.at === 'unread')
      this.#ports.notify(projection.role, projection.message);
  }
}
