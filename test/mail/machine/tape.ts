/** A list of numbers that decides everything that a test leaves to chance; at its end the first choice is always taken. */
export class Tape {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  get ended(): boolean {
    return this.#at >= this.#numbers.length;
  }

  below(count: number): number {
    const number = this.#numbers[this.#at] ?? 0;
    this.#at += 1;
    return count > 0 ? number % count : 0;
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choice === undefined) throw new Error('there is nothing to choose from');
    return choice;
  }

  /** True in one of so many cases; false at the end of the tape. */
  oneIn(count: number): boolean {
    return this.below(count) === count - 1 && count > 1;
  }

  /** Some of these, in their order. */
  some<T>(choices: readonly T[], most = choices.length): T[] {
    return choices.filter(() => this.oneIn(2)).slice(0, most);
  }
}
