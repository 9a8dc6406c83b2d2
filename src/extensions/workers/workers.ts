import type { Disk } from '../../disk/disk.ts';
import type { StepKind } from '../../kernel/step-queues.ts';
import type { WorkerOrder } from './letters/worker.ts';
import type { SettingsReader } from '../../project/definition/definition.ts';
import { expectRead } from '../../project/definition/workflows.ts';
import type { WorkerStatus } from './list.ts';

export interface WorkerRequest {
  /** The address of the queue; null: as the settings say. */
  readonly queue: string | null;
  readonly roles: readonly string[];
  /** The kinds of steps of workflows that it runs. */
  readonly steps: readonly StepKind[];
  readonly labels: readonly string[];
  /** Whose usage limits its agents have. */
  readonly login: string;
  readonly slots: number;
  /** Receives one line for each thing that happens. */
  readonly say: (text: string) => void;
}

/** The workers of a project. Every method throws `E_USAGE` for what it lacks to reach the queue. */
export class Workers {
  readonly #disk: Disk;
  readonly #settings: SettingsReader;

  constructor({ disk, settings }: { readonly disk: Disk; readonly settings: SettingsReader }) {
    this.#disk = disk;
    this.#settings = settings;
  }

  /** Throws `E_WORKER`, as does `order`. */
  async list(): Promise<readonly WorkerStatus[]> {
    const { listWorkers } = await import('./list.ts');
    return listWorkers((await this.#reach('either')).access);
  }

  /** Orders the workers of a name or a host, or one by its id. Throws `E_TARGET`. */
  async order(order: WorkerOrder, target: string): Promise<readonly WorkerStatus[]> {
    const { orderWorkers } = await import('./list.ts');
    return orderWorkers((await this.#reach('controller')).access, order, target);
  }

  /** A key for a worker of this name. */
  async invite(name: string): Promise<string> {
    const { invitation } = await import('./settings.ts');
    return invitation({ disk: this.#disk, ...expectRead(await this.#settings.read()) }, name);
  }

  /**
   * Makes this process a worker in the project's folder. Throws `E_LOCKED` while another host has
   * the project.
   */
  async open({ queue, ...options }: WorkerRequest) {
    const { openWorker } = await import('./worker/worker.ts');
    const { settings, access } = await this.#reach('worker', queue);
    return openWorker(this.#disk, settings, { ...access, ...options });
  }

  /** `queue`: an address that precedes that of the settings; null: none. */
  async #reach(side: 'controller' | 'worker' | 'either', queue: string | null = null) {
    const { workersAccess } = await import('./settings.ts');
    const settings = expectRead(await this.#settings.read());
    return { settings, access: await workersAccess({ disk: this.#disk, ...settings }, side, queue) };
  }
}
