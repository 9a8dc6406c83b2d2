import { MailroomError } from '../../kernel/errors.ts';

/**
 * Does what the disk may refuse, and what may be tried again. Returns why it refused, in words; null: it is done. Whatever is
 * a mistake of our own is thrown on.
 */
export function refusedBy(act: () => void): string | null {
  try {
    act();
    return null;
  } catch (error) {
    if (!(error instanceof MailroomError) || error.code === 'E_INTERNAL') throw error;
    return error.message;
  }
}

/** Things to be done with their refusals: each is kept until it is done. */
export class Refused {
  readonly #left = new Map<string, { readonly act: () => void; readonly problem: string }>();

  /** Of one of those that are not done; null: all are. */
  get problem(): string | null {
    return this.#left.values().next().value?.problem ?? null;
  }

  /** Does it, in the place of whatever of that name was not done. */
  try(name: string, act: () => void): void {
    const problem = refusedBy(act);
    if (problem === null) this.#left.delete(name);
    else this.#left.set(name, { act, problem });
  }

  /** Tries again what was refused. */
  again(): void {
    for (const [name, { act }] of this.#left) this.try(name, act);
  }
}
