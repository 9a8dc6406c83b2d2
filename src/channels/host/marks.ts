import { createHmac } from 'node:crypto';

/**
 * Marks of the texts that Mailroom sends: HTML comments, which services keep and do not show. Only
 * who has the project's key can make one.
 */
export class Marks {
  readonly #key: string;

  /** `key`: a secret of the project. */
  constructor(key: string) {
    this.#key = key;
  }

  of(key: string): string {
    return `<!-- mailroom ${key} ${this.seal(key)} -->`;
  }

  isOwn(line: string): boolean {
    const [, key, seal] = /^<!-- mailroom (\S+) ([\da-f]{32}) -->$/.exec(line) ?? [];
    return key !== undefined && seal === this.seal(key);
  }

  /** 32 hexadecimal digits. */
  seal(text: string): string {
    return createHmac('sha256', this.#key).update(`channel ${text}`).digest('hex').slice(0, 32);
  }
}
