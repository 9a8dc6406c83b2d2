import { Socket } from 'node:net';
import type { Killer } from './killer.ts';

/** Puts the killer between the program and what it sends over TCP. Pipes are sockets, too, and are let through. */
export function watchSockets(killer: Killer): void {
  const { connect, write } = Socket.prototype as unknown as Record<
    'connect' | 'write',
    (this: Socket, ...given: unknown[]) => unknown
  >;
  const watched = new WeakSet<Socket>();
  const replaced = {
    connect(this: Socket, ...given: unknown[]): unknown {
      const [options] = [given].flat(2);
      if (typeof options !== 'object' || options === null || !('port' in options))
        return connect.apply(this, given);
      watched.add(this);
      return killer.perform({ kind: 'connect' }, () => connect.apply(this, given));
    },
    write(this: Socket, ...given: unknown[]): unknown {
      const act = () => write.apply(this, given);
      return watched.has(this) ? killer.perform({ kind: 'send' }, act) : act();
    },
  };
  Object.assign(Socket.prototype, replaced);
}
