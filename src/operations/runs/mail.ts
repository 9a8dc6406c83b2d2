import type { Controller, ControllerOptions } from '../services.ts';
import { MailroomError, messageOf } from '../../kernel/errors.ts';

/** Takes the project and puts a host of its mail to work. Throws `E_LOCKED` when somebody has it. */
export type StartMail = (options: ControllerOptions) => Promise<Controller>;

/** Milliseconds between two tries to take the project. */
const between = 2_000;

/**
 * Moves the mail of the project for a run that waits for a role, as long as nobody else does: `up` may come before it, and
 * may go. Level-triggered: call `want` as often as one likes.
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

  /** Why the mail does not move; null: it does, or somebody else has the project. */
  get problem(): string | null {
    return this.#problem ?? this.#controller?.problems()[0] ?? null;
  }

  /** Takes the project if it is free; again later if it is not. */
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

  /** Gives the project up: what runs is put back, and goes on when somebody moves the mail again. */
  async end(): Promise<void> {
    this.#over = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#controller?.end('stop');
    await this.#moving;
  }
}
