import type { Controller, ControllerOptions } from '../../mail/controller/contract.ts';
import { MailroomError, messageOf } from '../../kernel/errors.ts';

/**
 * Locks the project and starts a host of its mail. Throws `E_LOCKED` when another process has it.
 */
export type StartMail = (options: ControllerOptions) => Promise<Controller>;

/** Milliseconds between two attempts to lock the project. */
const between = 2_000;

/**
 * Moves the mail of the project for a run that waits for a role, while no other process does: `up`
 * may start before it, and may end. Level-triggered: `want` may be called at any time.
 */
export class ProjectMail {
  readonly #start: StartMail;
  readonly #onChange: () => void;
  #moving: Promise<void> | null = null;
  #controller: Controller | null = null;
  #timer: NodeJS.Timeout | null = null;
  #over = false;
  #problem: string | null = null;

  constructor(start: StartMail, onChange: () => void) {
    this.#start = start;
    this.#onChange = onChange;
  }

  /** Why the mail does not move; null: it does, or another process has the project. */
  get problem(): string | null {
    return this.#problem ?? this.#controller?.problems()[0] ?? null;
  }

  /** Locks the project if it is free, and otherwise retries later. */
  want(): void {
    if (this.#over || this.#moving !== null || this.#timer !== null) return;
    this.#moving = this.#move()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#moving = null;
        this.#controller = null;
        if (!this.#over) this.#later();
      });
  }

  #later(): void {
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.want();
    }, between);
  }

  async #move(): Promise<void> {
    const onChange = () => this.#onChange();
    const options = { untilIdle: false, record: null, triggers: false, onChange };
    this.#controller = await this.#start(options);
    this.#problem = null;
    if (this.#over) this.#controller.end('stop');
    await this.#controller.run();
  }

  #failed(error: unknown): void {
    if (error instanceof MailroomError && error.code === 'E_LOCKED') return;
    this.#problem = messageOf(error);
  }

  /**
   * Releases the project: its running turns are put back, and continue when a process moves the
   * mail again.
   */
  async end(): Promise<void> {
    this.#over = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#controller?.end('stop');
    await this.#moving;
  }
}
