import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceDouble } from './service-double.ts';

interface Update {
  readonly update_id: number;
  readonly message: object;
}

interface Sent {
  readonly id: number;
  readonly chat: string;
  readonly text: string;
  readonly answers: number | null;
}

/** The used part of Telegram's Bot API: an update stays until it is asked for a later one, and only one may ask. */
export class TelegramDouble extends ServiceDouble {
  readonly token = '12:secret-token';
  readonly sent: Sent[] = [];
  /** Called with a message before its answer is sent. */
  onSent: ((sent: Sent) => void) | null = null;
  /** How the next message is answered, instead. */
  trouble: { readonly code: number; readonly description: string; readonly retryAfter?: number } | null =
    null;
  #updates: Update[] = [];
  #last = 100;
  #waiting: { readonly offset: number; readonly response: ServerResponse } | null = null;

  /** A person writes to the bot; returns the id of the message. */
  say(text: string, from: number, more: object = {}): number {
    const id = (this.#last += 1);
    const chat = { id: 42, type: 'private' };
    const by = { id: from, is_bot: false, first_name: 'Ada' };
    const message = { message_id: id, date: 0, chat, from: by, text, ...more };
    this.#updates.push({ update_id: id, message });
    this.#give();
    return id;
  }

  get unconfirmed(): number {
    return this.#updates.length;
  }

  /** Whether somebody waits for updates. */
  get isAsked(): boolean {
    return this.#waiting !== null;
  }

  protected answer({ url = '' }: IncomingMessage, body: string, response: ServerResponse): void {
    const fail = (code: number, description: string, parameters?: object) =>
      this.json(response, code, { ok: false, error_code: code, description, parameters });
    if (!url.startsWith(`/bot${this.token}/`)) return fail(401, 'Unauthorized');
    const asked = JSON.parse(body) as Record<string, unknown>;
    if (url.endsWith('/getUpdates')) return this.#updatesFor(asked, response);
    if (!url.endsWith('/sendMessage')) return fail(404, 'Not Found');
    const { trouble } = this;
    this.trouble = null;
    if (trouble !== null) {
      const { code, description, retryAfter } = trouble;
      return fail(code, description, retryAfter === undefined ? undefined : { retry_after: retryAfter });
    }
    const text = String(asked['text']);
    if (text.length > 4_096) return fail(400, 'Bad Request: message is too long');
    const reply = asked['reply_parameters'] as { readonly message_id: number } | undefined;
    const id = (this.#last += 1);
    const sent = { id, chat: String(asked['chat_id']), text, answers: reply?.message_id ?? null };
    this.sent.push(sent);
    this.onSent?.(sent);
    this.json(response, 200, { ok: true, result: { message_id: id, date: 0, chat: { id: 42 }, text } });
  }

  #updatesFor({ offset = 0, timeout = 0 }: Record<string, unknown>, response: ServerResponse): void {
    if (this.#waiting !== null) {
      const description =
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';
      this.json(this.#waiting.response, 409, { ok: false, error_code: 409, description });
    }
    this.#updates = this.#updates.filter(({ update_id: id }) => id >= Number(offset));
    const waiting = { offset: Number(offset), response };
    this.#waiting = waiting;
    response.on('close', () => {
      if (this.#waiting === waiting) this.#waiting = null;
    });
    if (Number(timeout) === 0 || this.#updates.length > 0) this.#give(true);
  }

  #give(even = false): void {
    if (this.#waiting === null || (this.#updates.length === 0 && !even)) return;
    const { response } = this.#waiting;
    this.#waiting = null;
    this.json(response, 200, { ok: true, result: this.#updates });
  }
}
