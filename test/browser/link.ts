import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a server that can be cut: a page that uses it sees what a bad network does. */
export class Link {
  readonly #sockets = new Set<Socket>();
  readonly #server;
  #isCut = false;

  private constructor(port: number) {
    this.#server = createServer((near) => {
      if (this.#isCut) return void near.destroy();
      const far = connect(port, '127.0.0.1');
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        socket.pipe(other);
        socket.on('error', () => other.destroy());
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
      }
    });
  }

  /** A link to the server of this address; `address` is the same through the link. */
  static async to(address: string): Promise<{ readonly link: Link; readonly address: string }> {
    const url = new URL(address);
    const link = new Link(Number(url.port));
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    url.port = String((link.#server.address() as AddressInfo).port);
    return { link, address: url.href };
  }

  /** Breaks every connection; new ones break too until `restore`. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  restore(): void {
    this.#isCut = false;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}
