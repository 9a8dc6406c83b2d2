import { HostFault } from '../../kernel/contained.ts';
import { messageOf } from '../../kernel/errors.ts';
import { asHostFault } from '../../kernel/passing.ts';
import type { Changed } from '../../kernel/edits.ts';
import { unmasked, type Mask } from '../../kernel/mask.ts';
import { maskOf } from '../../process/output/mask.ts';
import { exitOf, notStarted } from '../../process/exits.ts';
import type { Exit } from '../../providers/provider.ts';
import { Processes, type ProcessOptions } from './processes.ts';
import type { ProcessJob, StepRunner, StepRunnerEvents } from './runner.ts';

/** Runs the workers of a run as real processes. */
export class ProcessStepRunner extends Processes implements StepRunner {
  readonly #mask: Mask;
  readonly #events: StepRunnerEvents;

  constructor(options: ProcessOptions, events: StepRunnerEvents) {
    super(options);
    this.#mask = maskOf(options.secrets);
    this.#events = events;
  }

  start(job: ProcessJob): void {
    void this.#follow(job);
  }

  async #follow(job: ProcessJob): Promise<void> {
    const ended = await this.during(job.key, () => this.#worked(job));
    if (!(ended instanceof HostFault)) this.#events.ended(job.key, ...ended);
    else if (this.#events.held) this.#events.held(job.key, ended.message);
    else this.#events.ended(job.key, notStarted(ended.message));
  }

  /** Never rejects: an error of the host is an exit too. */
  async #worked(job: ProcessJob): Promise<[Exit, Changed] | HostFault> {
    try {
      const { result, edits, changed } = await this.run(job);
      const exit = exitOf(result, job.kind === 'agent' ? this.#mask : unmasked);
      const left = async (): Promise<[Exit, Changed]> => {
        const edited = await edits();
        return [edited === null ? exit : { ...exit, edits: edited }, await changed()];
      };
      return await this.after(job.key, left, (...note) => this.#events.unread?.(...note));
    } catch (error) {
      const fault = asHostFault(error);
      if (fault instanceof HostFault) return fault;
      return [notStarted(messageOf(error)), new Map()];
    }
  }
}
