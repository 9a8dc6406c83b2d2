import type { ErrorCode } from '../../kernel/errors.ts';
import type { Work } from '../model.ts';

/** The properties that a step has in expressions, in the words of the machine. */
export type StepProperty =
  'status' | 'values' | 'artifacts' | 'exit_code' | 'output' | 'duration' | 'summary';

/** How a language spells what the checks speak of. */
export interface Vocabulary {
  /** Expressions become others of the machine: those that nobody wrote are not checked. */
  readonly isTranslated: boolean;
  /** What a step is called. */
  readonly step: string;
  /** What that is called which a run is given. */
  readonly parameter: string;
  /** What that is called which a step hands over. */
  readonly value: string;
  /** The first word of a path to a step. */
  readonly steps: string;
  /** The properties of a step that expressions can read, by their words. */
  readonly properties: Readonly<Record<string, StepProperty>>;
  /** How steps end, as expressions compare it; and those of them that are failures. */
  readonly statuses: readonly string[];
  readonly failures: readonly string[];
  /** What the namespaces have that are the same in every run; hooks of the end know `ends` of the run besides. */
  readonly namespaces: Readonly<Record<string, readonly string[]>>;
  readonly ends: readonly string[];
  /** The code of an error where nothing can set what is read; null: that of a name or an expression. */
  readonly absent: ErrorCode | null;
  /** A reference as its author writes it. */
  readonly spell: (words: readonly string[]) => string;
  readonly hints: Hints;
}

/** What to do about it, as the language allows. */
interface Hints {
  /** An example of a path to a step. */
  readonly literal: string;
  /** What to read of a step; null: a step can be read as a whole. */
  readonly whole: string | null;
  /** Makes `step` wait for `target`. */
  readonly order: (step: string, target: string) => string;
  readonly cycle: string;
  /** Gives a later step's result to an earlier one; null: nothing can. */
  readonly later: (step: string, isRound: boolean) => string | null;
  /** Gives what a step of a loop made to those after the loop. */
  readonly afterLoop: (loop: string) => string;
  readonly env: string;
  /** Lets the run continue when a step fails. */
  readonly continues: string;
  /** Says which strings a value may be; null: no declaration can. */
  readonly enums: string | null;
  /** What a step of a kind gives, after a list of its properties. */
  readonly gives: (kind: Work['kind'], id: string) => string | null;
  /** Leaves a loop. */
  readonly leaving: string;
  /** Targets of a transition that are no steps. */
  readonly targets: readonly string[];
}
