import type { Protocol } from '../format/protocol.ts';
import type { MailState, Picture } from '../machine/state.ts';
import type { DiskErrors } from './disk-errors.ts';
import { draw, type Expected } from './draw.ts';
import type { HostPorts } from './ports.ts';
import type { MessageId, RoleName } from '../../kernel/ids.ts';

/** What the folders are still to show. */
interface Owed {
  /** Roles whose folders do not show everything: what is missing there was perhaps never put there. */
  readonly roles: ReadonlySet<RoleName>;
  /** Refused files whose only copy is the one that was taken in. */
  readonly refused: ReadonlySet<MessageId>;
}

/**
 * Makes the folders show what the journal says. What cannot be drawn is drawn at a later look and keeps nothing else from
 * being drawn now; what was drawn is not drawn, and nobody told of it, again.
 */
export class Pictures {
  readonly #ports: Pick<HostPorts, 'mailboxes' | 'runs' | 'notify'>;
  readonly #protocol: Protocol;
  readonly #expected: Expected;
  readonly #shown = new WeakSet<Picture>();

  constructor(
    ports: Pick<HostPorts, 'mailboxes' | 'runs' | 'notify'>,
    protocol: Protocol,
    expected: Expected,
  ) {
    this.#ports = ports;
    this.#protocol = protocol;
    this.#expected = expected;
  }

  draw({ undrawn }: MailState, disk: DiskErrors): void {
    for (const picture of undrawn.values())
      if (!this.#shown.has(picture) && disk.succeeds(() => this.#show(picture))) this.#shown.add(picture);
  }

  owed({ undrawn }: MailState): Owed {
    const left = [...undrawn.values()].filter((picture) => !this.#shown.has(picture));
    return {
      roles: new Set(left.map(({ role }) => role)),
      refused: new Set(left.flatMap((each) => (each.kind === 'refused' ? [each.id] : []))),
    };
  }

  #show(picture: Picture): void {
    if (picture.kind === 'answer') return this.#ports.runs?.answer(picture.answer);
    if (!this.#protocol.roles.has(picture.role)) return;
    draw(this.#ports.mailboxes, this.#expected, picture);
    if (picture.kind === 'copy' && picture.delivery.at === 'unread')
      this.#ports.notify(picture.role, picture.message);
  }
}
