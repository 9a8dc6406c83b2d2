import type { Protocol } from '../format/protocol.ts';
import type { MailState, Projection } from '../machine/state.ts';
import type { DiskGuard } from '../../disk/disk-guard.ts';
import { project, type Expected } from './project.ts';
import type { HostPorts } from './ports.ts';
import type { MessageId, RoleName } from '../../kernel/ids.ts';

/** What the folders are still to show. */
interface Pending {
  /** Roles whose folders do not show everything: what is missing there was perhaps never put there. */
  readonly roles: ReadonlySet<RoleName>;
  /** Refused files whose only copy is the one that was taken in. */
  readonly refused: ReadonlySet<MessageId>;
}

/**
 * Makes the folders show what the journal says. What the disk refuses is tried at a later look and keeps nothing else from
 * being shown now. What was shown is neither written nor reported again.
 */
export class MailboxProjector {
  readonly #ports: Pick<HostPorts, 'mailboxes' | 'runs' | 'notify'>;
  readonly #protocol: Protocol;
  readonly #expected: Expected;
  readonly #projected = new WeakSet<Projection>();

  constructor(
    ports: Pick<HostPorts, 'mailboxes' | 'runs' | 'notify'>,
    protocol: Protocol,
    expected: Expected,
  ) {
    this.#ports = ports;
    this.#protocol = protocol;
    this.#expected = expected;
  }

  project({ pendingProjections }: MailState, disk: DiskGuard): void {
    for (const projection of pendingProjections.values())
      if (!this.#projected.has(projection) && disk.succeeds(() => this.#projectOne(projection)))
        this.#projected.add(projection);
  }

  pending({ pendingProjections }: MailState): Pending {
    const left = [...pendingProjections.values()].filter((projection) => !this.#projected.has(projection));
    return {
      roles: new Set(left.map(({ role }) => role)),
      refused: new Set(left.flatMap((each) => (each.kind === 'refused' ? [each.id] : []))),
    };
  }

  #projectOne(projection: Projection): void {
    if (projection.kind === 'answer') return this.#ports.runs?.answer(projection.answer);
    if (!this.#protocol.roles.has(projection.role)) return;
    project(this.#ports.mailboxes, this.#expected, projection);
    if (projection.kind === 'copy' && projection.delivery.at === 'unread')
      this.#ports.notify(projection.role, projection.message);
  }
}
