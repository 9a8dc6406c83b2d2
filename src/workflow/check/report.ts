import type { ErrorCode } from '../../kernel/errors.ts';
import type { Language } from '../../expressions/language.ts';
import type { Tree } from '../../expressions/tree.ts';
import type { Span } from '../../expressions/problem.ts';
import type { CheckContext as MailContext } from '../../mail/protocol/check/report.ts';
import type { Protocol } from '../../mail/format/protocol.ts';
import { spacedMinus } from '../../expressions/arithmetic.ts';
import { areEqual } from '../../expressions/compare.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Body, StepId, Workflow } from '../model.ts';
import type { AgentBound } from '../../providers/provider.ts';
import { enumerate } from '../../kernel/enumerate.ts';
import { bodyOf, stepsIn } from '../bodies.ts';
import type { Deputies } from '../../kernel/deputy.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * Something in a workflow that cannot work. The language maps each part of the model to its
 * position in the file; `span` is a part of the text that the node was read from.
 */
export interface Problem {
  readonly code: ErrorCode;
  readonly severity: 'error' | 'warning';
  /** The part of the model that it concerns. */
  readonly node: object;
  /** The field of that part, or the index in it; null: the whole part. */
  readonly key: string | number | null;
  readonly span: Span | null;
  readonly message: string;
  readonly hint: string | null;
}

/** What the checks need besides the workflow. */
export interface CheckContext {
  /**
   * Steps that are defined, but so badly that they, or parts of them, are missing from the
   * workflow: their absence proves nothing.
   */
  readonly broken: ReadonlySet<StepId>;
  /** Whether dependencies are among the missing parts: the order of steps is then unknown. */
  readonly isOrderUnknown: boolean;
  /** The same for parameters. */
  readonly brokenParameters: ReadonlySet<string>;
  /** Null: there is no protocol. */
  readonly protocol: Pick<Protocol, 'roles' | 'types'> | null;
  /** By provider: permissions that an agent has although the step does not grant them, in words. */
  readonly broaderThanRequested: MailContext['broaderThanRequested'];
  /** By provider: the limits of an agent that are not enforced. Absent: none. */
  readonly notEnforced: ReadonlyMap<string, readonly AgentBound[]>;
  /** By provider: why its agents cannot use MCP servers, in words. Absent: they can. */
  readonly withoutMcp: MailContext['withoutMcp'];
  /** Whether mailroom.yaml says how worker hosts are reached. */
  readonly hasWorkers: boolean;
  /** The branch that is checked out in the project; null: none, or not known. */
  readonly checkedOut: string | null;
  /** Absent: no role writes what its steps run. */
  readonly deputies?: Deputies;
  /** Whether a permission broader than requested is an error. */
  readonly strict: boolean;
  /** Whether earlier errors exist, which may be why something is missing. */
  readonly hasErrors: boolean;
  /** The expressions of the language outside loops. */
  readonly language: Language;
  readonly vocabulary: Vocabulary;
  /** The author's expressions, by those of the machine they became; null: they are the same. */
  readonly written: ReadonlyMap<Tree, Tree> | null;
}

function loopsIn({ steps }: Body, loop: StepId | null): [StepId, StepId | null][] {
  return steps.flatMap(({ id, work }): [StepId, StepId | null][] => {
    const inner = bodyOf(work);
    return [...(inner === null ? [] : loopsIn(inner, id)), [id, loop]];
  });
}

function isOrAre(names: readonly string[]): string {
  return names.length === 1 ? 'there is' : 'there are';
}

/**
 * Finding the nearest name is slow where there are many, and more hints than this are not useful.
 */
const helped = 100;

/** A workflow that is being checked, and its problems so far. */
export class CheckReport {
  readonly problems: Problem[] = [];
  readonly workflow: Workflow;
  readonly context: CheckContext;
  readonly vocabulary: Vocabulary;
  #contextNames: readonly string[] | null = null;
  #loops: ReadonlyMap<StepId, StepId | null> | null = null;

  constructor(workflow: Workflow, context: CheckContext) {
    this.workflow = workflow;
    this.context = context;
    this.vocabulary = context.vocabulary;
  }

  /** The loop that contains a step; null: none; undefined: the step does not exist. */
  loopOf(step: StepId): StepId | null | undefined {
    this.#loops ??= new Map(loopsIn(this.workflow.body, null));
    return this.#loops.get(step);
  }

  /** Whether a step is what runs finally, or inside it. */
  runsLast(step: StepId): boolean {
    const last = this.workflow.body.steps.at(-1);
    if (last?.work.kind !== 'finally') return false;
    return step === last.id || loopsIn(last.work.body, null).some(([id]) => id === step);
  }

  /** What the definition sets of `context`; a caller may give more. */
  contextNames(): readonly string[] {
    this.#contextNames ??= [
      ...Object.keys(this.workflow.context),
      ...stepsIn(this.workflow.body).flatMap(({ work }) =>
        work.kind === 'assign' ? Object.keys(work.values) : [],
      ),
    ];
    return this.#contextNames;
  }

  /** An expression as its author wrote it, and the part of the model with its position. */
  written(tree: Tree, node: object): { readonly tree: Tree; readonly node: object } {
    const own = this.context.written?.get(tree);
    return own === undefined ? { tree, node } : { tree: own, node: own };
  }

  /** Reports something well formed that cannot work. */
  error(at: At, message: string, hint: string | null = null): void {
    this.add('E_WORKFLOW', 'error', at, message, hint);
  }

  /** Reports an expression that cannot have the required value. */
  expression(at: At, message: string, hint: string | null = null): void {
    this.add('E_EXPRESSION', 'error', at, message, hint);
  }

  /** Warns of an expression that may still be intended. */
  expressionWarning(at: At, message: string, hint: string | null): void {
    this.add('E_EXPRESSION', 'warning', at, message, hint);
  }

  /**
   * Reports an undefined name. `message` describes it; the nearest name, or all of them, are the
   * hint.
   */
  unknown(
    at: At,
    message: string,
    name: string,
    known: readonly string[],
    code: ErrorCode = 'E_UNKNOWN_NAME',
  ): void {
    const all = known.length === 0 ? 'there are none here' : `${isOrAre(known)} ${enumerate(known)}`;
    const hint = this.problems.length < helped ? (didYouMean(name, known) ?? all) : null;
    this.add(code, 'error', at, message, hint);
  }

  /** Reports an undefined name of a step, or one that runs finally, unless its reader does, too. */
  unknownStep(at: At, message: string, step: StepId, known: readonly string[], over = false): void {
    if (over || !this.runsLast(step)) return this.unknown(at, message, step, known);
    const begins = '`finally` begins when all other steps are over';
    this.error(at, step === 'finally' ? begins : `\`${step}\` runs in \`finally\`: ${begins}`);
  }

  /** Reports an undefined name of what may be a number: `index-1` may be a subtraction. */
  unknownValue(...given: Parameters<CheckReport['unknown']>): void {
    const [at, message, name, known, code = 'E_UNKNOWN_NAME'] = given;
    const minus = this.meantMinus(name, known);
    if (minus === null) this.unknown(...given);
    else this.add(code, 'error', at, message, minus);
  }

  /** The hint for a name that is a known one with a minus behind it; null: it is not. */
  meantMinus(name: string, known: readonly string[]): string | null {
    const { calculates, comparing } = this.context.language;
    if (calculates !== true || (!/-\d+$/.test(name) && didYouMean(name, known) !== null)) return null;
    return spacedMinus(name, (part) => known.some((each) => areEqual(each, part, comparing)));
  }

  add(
    code: ErrorCode,
    severity: Problem['severity'],
    { node, key, span }: At,
    message: string,
    hint: string | null,
  ): void {
    this.problems.push({ code, severity, node, key: key ?? null, span, message, hint });
  }
}

/** A part of the model, one of its fields, or a part of its source text. */
export interface At {
  readonly node: object;
  readonly key?: string | number;
  readonly span: Span | null;
}

/** The whole of a part. */
export function whole(node: object): At {
  return { node, span: null };
}

/** A field of a part, or an item of a list. */
export function field(node: object, key: string | number): At {
  return { node, key, span: null };
}
