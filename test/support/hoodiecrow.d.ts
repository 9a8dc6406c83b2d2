declare module 'hoodiecrow-imap' {
  import type { Server } from 'node:net';

  interface ImapServer {
    readonly server: Server;
    listen(port: number, host: string, done: () => void): void;
    close(done: () => void): void;
    appendMessage(
      mailbox: string,
      flags: readonly string[],
      date: Date | null,
      raw: string | Buffer,
    ): unknown;
  }

  export default function hoodiecrow(options: {
    readonly plugins?: readonly string[];
    readonly storage: Readonly<Record<string, unknown>>;
    readonly users: Readonly<Record<string, { readonly password: string }>>;
  }): ImapServer;
}
