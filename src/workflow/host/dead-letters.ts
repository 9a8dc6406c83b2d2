import { messageOf } from '../../kernel/errors.ts';
import type { DiskGuard } from '../../disk/disk-guard.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { StepPath } from '../machine/event.ts';
import type { Launch, Prepared } from '../machine/launch.ts';
import { isIn } from '../machine/fold/steps.ts';
import type { RunState } from '../machine/state.ts';
import { attemptsOf, iterationsOf, reasonOf } from '../machine/view.ts';
import type { RunPorts } from './ports.ts';

const leftOut = { changes: 'left out: earlier dead letters of this run hold 16 MiB of changes' };

/** Bytes of patches that one host keeps of a run: many steps may fail on the same changes. */
const mostPatches = 16 * 1024 * 1024;

/**
 * Keeps for each step that failed permanently what a person needs to inspect it, and to run it
 * again.
 */
export class DeadLetters {
  readonly #ports: Pick<RunPorts, 'files' | 'uncommittedPatch'>;
  /** The last launch of each step; removed once the step is settled. */
  readonly #given = new Map<StepPath, { readonly launch: Launch; readonly prepared: Prepared }>();
  readonly #writing = new Set<Promise<void>>();
  readonly #disk: DiskGuard;
  #kept = 0;

  constructor(ports: Pick<RunPorts, 'files' | 'uncommittedPatch'>, disk: DiskGuard) {
    this.#ports = ports;
    this.#disk = disk;
  }

  note(launch: Launch, prepared: Prepared): void {
    if (launch.check === null) this.#given.set(launch.key.path, { launch, prepared });
  }

  /**
   * Writes the letter of a settled step if it failed. Its changes are looked up in the background.
   */
  settled(state: RunState, path: StepPath): void {
    const given = this.#given.get(path);
    this.#given.delete(path);
    const step = state.steps.get(path);
    if (given === undefined || !isIn(step, 'settled') || step.phase.status !== 'FAILED') return;
    const { launch, prepared } = given;
    const { instructions } = launch.work as { instructions?: string };
    const letter: JsonObject = {
      schema: 1,
      run: launch.run,
      step: launch.step,
      path,
      error_class: step.phase.class,
      reason: reasonOf(step),
      attempts: attemptsOf(step),
      iterations: iterationsOf(step),
      cost: { ...step.cost },
      worker: launch.work.kind,
      instructions: instructions ?? null,
      inputs: prepared.inputs.map((input) => ({ ...input })),
      workspace: prepared.workspace,
      failed_at: new Date(step.settledAt ?? state.now).toISOString(),
    };
    const writing = this.#write(path, letter, prepared.workspace).finally(() =>
      this.#writing.delete(writing),
    );
    this.#writing.add(writing);
  }

  async #write(path: StepPath, letter: JsonObject, workspace: string): Promise<void> {
    try {
      const difference = await this.#difference(path, workspace);
      const size = difference?.length ?? 0;
      const isKept = this.#kept + size <= mostPatches;
      if (isKept) this.#kept += size;
      const [document, patch] = isKept ? [letter, difference] : [{ ...letter, ...leftOut }, null];
      this.#disk.keepTrying(`dead letter ${path}`, () => this.#ports.files.deadLetter(path, document, patch));
    } catch (error) {
      // Nothing awaits this: other errors can only be reported.
      this.#disk.report(`the dead letter of ${path}: ${messageOf(error)}`);
    }
  }

  /** Null also where it cannot be had: the rest of the letter is worth more. */
  async #difference(path: StepPath, workspace: string): Promise<Uint8Array | null> {
    try {
      return await this.#ports.uncommittedPatch(workspace);
    } catch (error) {
      this.#disk.report(`the dead letter of ${path} lacks what was changed: ${messageOf(error)}`);
      return null;
    }
  }

  /** Resolves when everything is written that the disk has not refused. */
  async finished(): Promise<void> {
    await Promise.all(this.#writing);
  }
}
