import { MailroomError } from '../../../src/kernel/errors.ts';
import type { MemoryDisk, Operation } from '../../support/memory-disk.ts';
import type { Random } from './random.ts';

/** What may go wrong in a schedule; chances are from 0 to 1. */
export interface Chaos {
  /** That a controller is killed at one of its next operations on the disk. */
  readonly crash: number;
  /** That a crash takes unsynced bytes with it. */
  readonly powerLoss: number;
  /** That a change is not announced: only the scan finds it. */
  readonly lostHint: number;
  /** That the disk refuses one operation. */
  readonly refused: number;
  /** That an append or a file is written in part. */
  readonly short: number;
  /** That something cannot be read. */
  readonly unreadable: number;
  /** That an operation takes long. */
  readonly slow: number;
  /** That the disk gets full, in a step. */
  readonly full: number;
  /** That somebody sets the wall clock, in a step. */
  readonly clock: number;
  /** That a second controller is started, or the first one loses its lock, in a step. */
  readonly rival: number;
  /** That the controller is stopped on purpose, in a step. */
  readonly restart: number;
  /** That the process that started all others is lost, in a step. */
  readonly launcher: number;
}

export const peace: Chaos = {
  crash: 0,
  powerLoss: 0,
  lostHint: 0,
  refused: 0,
  short: 0,
  unreadable: 0,
  slow: 0,
  full: 0,
  clock: 0,
  rival: 0,
  restart: 0,
  launcher: 0,
};

/** A kind of bad day. */
export function randomChaos(random: Random): Chaos {
  return {
    crash: random.pick([0, 0, 0.03, 0.15]),
    powerLoss: random.pick([0, 0.5]),
    lostHint: random.pick([0, 0.2, 1]),
    refused: random.pick([0, 0, 0, 0.002]),
    short: random.pick([0, 0, 0, 0.01]),
    unreadable: random.pick([0, 0, 0, 0.001]),
    slow: random.pick([0, 0, 0.02]),
    full: random.pick([0, 0, 0, 0.01]),
    clock: random.pick([0, 0, 0.02]),
    rival: random.pick([0, 0, 0.02]),
    restart: random.pick([0, 0, 0.01]),
    launcher: random.pick([0, 0, 0.02]),
  };
}

/** The controller is killed here. */
export class Crash extends Error {}

const full = () => new MailroomError('E_DISK', 'no space left on device');
const broken = () => new MailroomError('E_DISK', 'input/output error');

/** Spoils what controllers do to a disk. */
export class Faults {
  readonly #disk: MemoryDisk;
  readonly #random: Random;
  readonly #chaos: Chaos;
  #until = Infinity;
  /** A controller was killed, and nobody has noticed yet. */
  killed = false;
  /** Called for each operation of a controller that changes something. */
  changing: (operation: Operation) => void = () => {};

  constructor(disk: MemoryDisk, random: Random, chaos: Chaos, pass: (milliseconds: number) => void) {
    this.#disk = disk;
    this.#random = random;
    this.#chaos = chaos;
    disk.delay = () => {
      if (this.#on && random.chance(chaos.slow)) pass(random.below(random.pick([20, 400, 4_000])));
    };
  }

  #on = false;

  /** From here on a controller works: the disk may fail it. */
  arm(calm: boolean): void {
    const { crash } = this.#chaos;
    this.#until = !calm && crash > 0 && this.#random.chance(crash) ? 1 + this.#random.below(25) : Infinity;
    this.#on = !calm;
    this.#disk.before = (operation) => this.#before(operation);
    this.#disk.beforeRead = () => {
      if (this.#on && this.#random.chance(this.#chaos.unreadable)) throw broken();
    };
  }

  /** From here on others work, who have no trouble with the disk. */
  disarm(): void {
    this.#on = false;
    this.#disk.before = null;
    this.#disk.beforeRead = null;
  }

  /** There is room for so many bytes, until somebody makes more. */
  fill(bytes: number): void {
    this.#disk.free = bytes;
  }

  #before(operation: Operation): number | void {
    const { kind, bytes } = operation;
    // A sync under way goes on, whatever the host has lost meanwhile.
    if (kind !== 'sync') this.changing(operation);
    this.#until -= 1;
    if (this.#until <= 0) {
      this.killed = true;
      throw new Crash('killed');
    }
    if (!this.#on) return;
    if (this.#random.chance(this.#chaos.refused)) throw full();
    if (bytes > 0 && this.#random.chance(this.#chaos.short)) return this.#random.below(bytes);
  }
}
