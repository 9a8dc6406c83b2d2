import type { ErrorCode } from '../../kernel/errors.ts';
import type { Work } from '../model.ts';

/** The properties of a step in expressions, in the machine's terms. */
export type StepProperty =
  | 'status'
  | 'values'
  | 'approval'
  | 'artifacts'
  | 'exit_code'
  | 'output'
  | 'duration'
  | 'summary'
  /** Of a loop over items: why items failed, and how many. */
  | 'errors'
  | 'failed'
  | GitProperty;

/** Of a step that leaves work in git. */
export type GitProperty = 'commit' | 'branch' | 'worktree';

/** How a language spells the subjects of the checks. */
export interface Vocabulary {
  /** Expressions are translated for the machine: generated ones are not checked. */
  readonly isTranslated: boolean;
  /** The word for a step. */
  readonly step: string;
  /** The word for a parameter. */
  readonly parameter: string;
  /** The word for a value of a step. */
  readonly value: string;
  /** The first word of a path to a step. */
  readonly steps: string;
  /** The readable properties of a step, by their names. */
  readonly properties: Readonly<Record<string, StepProperty>>;
  /** The statuses of ended steps, as expressions compare them; and the failures among them. */
  readonly statuses: readonly string[];
  readonly failures: readonly string[];
  /**
   * The members of the namespaces that are the same in every run; hooks of the end also see `ends`
   * of the run.
   */
  readonly namespaces: Readonly<Record<string, readonly string[]>>;
  readonly ends: readonly string[];
  /** The error code where nothing sets what is read; null: that of a name or an expression. */
  readonly absent: ErrorCode | null;
  /** A reference in the author's spelling. */
  readonly spell: (words: readonly string[]) => string;
  readonly hints: Hints;
}

/** How to fix it, as the language allows. */
interface Hints {
  /** An example of a path to a step. */
  readonly literal: string;
  /** What to read of a step; null: a step can be read as a whole. */
  readonly whole: string | null;
  /** Makes `step` wait for `target`. */
  readonly order: (step: string, target: string) => string;
  readonly cycle: string;
  /** Passes a later step's result to an earlier one; null: nothing can. */
  readonly later: (step: string, isRound: boolean) => string | null;
  /** Passes the result of a loop's step to those after the loop. */
  readonly afterLoop: (loop: string) => string;
  readonly env: string;
  /** Lets the run continue when a step fails. */
  readonly continues: string;
  /** Declares the strings that a value may be; null: no declaration can. */
  readonly enums: string | null;
  /** What a step of a kind provides, after a list of its properties. */
  readonly gives: (kind: Work['kind'], id: string) => string | null;
  /** Leaves a loop. */
  readonly leaving: string;
  /** Targets of a transition that are not steps. */
  readonly targets: readonly string[];
}
