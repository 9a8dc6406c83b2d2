import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import hoodiecrow from 'hoodiecrow-imap';
import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer } from 'smtp-server';

/** A mail as a person writes it. */
interface Written {
  readonly from?: string;
  readonly id?: string;
  readonly answers?: string;
  readonly subject?: string;
  readonly text?: string;
  /** Header lines that precede the others. */
  readonly top?: string;
  /** The content with its own header lines. */
  readonly raw?: string;
}

/** A real SMTP and a real IMAP server on loopback, for the mailbox `team@example.com`. */
export class MailServers {
  readonly address = 'team@example.com';
  readonly #smtp: SMTPServer;
  readonly #imap = hoodiecrow({
    plugins: ['ID', 'UIDPLUS', 'LITERALPLUS'],
    storage: { INBOX: { messages: [] } },
    users: { [this.address]: { password: 'secret-password' } },
  });
  /** What was sent, by everybody that it was sent to. */
  readonly sent: { readonly to: readonly string[]; readonly mail: ParsedMail }[] = [];
  /** Called when a mail has been accepted, before the client knows. */
  onSent: ((mail: ParsedMail) => void) | null = null;
  /** Refuses the next mail with this. */
  refusal: { readonly code: number; readonly text: string } | null = null;
  #lastId = 0;

  constructor() {
    this.#smtp = new SMTPServer({
      authOptional: false,
      allowInsecureAuth: true,
      hideSTARTTLS: true,
      onAuth: ({ username, password }, _session, done) => {
        const isKnown = username === this.address && password === 'secret-password';
        done(isKnown ? null : new Error('wrong password'), { user: username ?? '' });
      },
      onData: (stream, session, finish) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const to = session.envelope.rcptTo.map(({ address }) => address);
          void this.#accept(Buffer.concat(chunks), to).then(finish);
        });
      },
    });
  }

  async listen(): Promise<void> {
    this.#smtp.listen(0, '127.0.0.1');
    await once(this.#smtp.server, 'listening');
    await new Promise<void>((resolve) => this.#imap.listen(0, '127.0.0.1', resolve));
  }

  get smtp(): string {
    return `smtp://127.0.0.1:${String((this.#smtp.server.address() as AddressInfo).port)}`;
  }

  get imap(): string {
    return `imap://127.0.0.1:${String((this.#imap.server.address() as AddressInfo).port)}`;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#smtp.close(resolve));
    await new Promise<void>((resolve) => this.#imap.close(resolve));
  }

  /** What people have got, as its subject and text. */
  got(): ParsedMail[] {
    return this.sent.map(({ mail }) => mail);
  }

  /** Puts a mail into the mailbox, as its server does once it has checked it. Returns its id. */
  write({
    from = 'Ada <ada@example.com>',
    id,
    answers,
    subject = 'Hello',
    text = '',
    top,
    raw,
  }: Written): string {
    const own = id ?? `<${String((this.#lastId += 1))}@example.com>`;
    const checked = 'Authentication-Results: mx.example.com; dmarc=pass header.from=example.com';
    const lines = [
      top ?? checked,
      `From: ${from}`,
      `To: ${this.address}`,
      `Message-ID: ${own}`,
      ...(answers === undefined ? [] : [`In-Reply-To: ${answers}`, `References: ${answers}`]),
      `Subject: ${subject}`,
    ];
    const content = raw ?? `Content-Type: text/plain; charset=utf-8\r\n\r\n${text}`;
    this.#append(Buffer.from(`${lines.join('\r\n')}\r\n${content}`).toString('binary'));
    return own;
  }

  /** The server keeps each byte as a character. */
  #append(raw: string): void {
    this.#imap.appendMessage('INBOX', [], null, raw);
  }

  /** Returns why it refuses a mail; null: it has accepted it. */
  async #accept(raw: Buffer, to: readonly string[]): Promise<Error | null> {
    const { refusal } = this;
    if (refusal !== null) {
      this.refusal = null;
      return Object.assign(new Error(refusal.text), { responseCode: refusal.code });
    }
    const mail = await simpleParser(raw);
    this.sent.push({ to: to.filter((each) => each !== this.address), mail });
    if (to.includes(this.address)) this.#append(raw.toString('binary'));
    this.onSent?.(mail);
    return null;
  }
}
