import type { ErrorCode } from '../../kernel/errors.ts';
import type { Language } from '../../expressions/language.ts';
import type { Tree } from '../../expressions/tree.ts';
import type { Span } from '../../expressions/problem.ts';
import type { CheckContext as MailContext } from '../../mail/protocol/check/report.ts';
import type { Protocol } from '../../mail/format/protocol.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Body, StepId, Workflow } from '../model.ts';
import type { AgentBound } from '../../providers/provider.ts';
import { enumerate } from '../../kernel/enumerate.ts';
import { bodyOf } from '../bodies.ts';
import type { Vocabulary } from './vocabulary.ts';

/**
 * Something in a workflow that cannot work. Whoever lowered the workflow knows where in the file each part of the model
 * comes from; `span` is a part of the text that the node was read from.
 */
export interface Problem {
  readonly code: ErrorCode;
  readonly severity: 'error' | 'warning';
  /** The part of the model that it is about. */
  readonly node: object;
  /** The field of that part, or the index in it; null: the whole of it. */
  readonly key: string | number | null;
  readonly span: Span | null;
  readonly message: string;
  readonly hint: string | null;
}

/** What the checks need to know besides the workflow. */
export interface CheckContext {
  /** Steps that are defined, but so badly that they, or parts of them, are not in the workflow: nothing is concluded from that. */
  readonly broken: ReadonlySet<StepId>;
  /** Whether dependencies are among what is not there: nobody knows then which step comes before another. */
  readonly isOrderUnknown: boolean;
  /** The same for parameters. */
  readonly brokenParameters: ReadonlySet<string>;
  /** Null: there is no protocol. */
  readonly protocol: Pick<Protocol, 'roles' | 'types'> | null;
  /** By provider: the rights that an agent has although the step does not give them, in words. */
  readonly broaderThanRequested: MailContext['broaderThanRequested'];
  /** By provider: the bounds that nothing holds an agent to. Not there: none. */
  readonly notEnforced: ReadonlyMap<string, readonly AgentBound[]>;
  /** By provider: why its agents can be given no MCP servers, in words. Not there: they can. */
  readonly withoutMcp: MailContext['withoutMcp'];
  /** Whether a permission broader than requested is an error. */
  readonly strict: boolean;
  /** Whether errors were found before: what they are about may be why something else is not there. */
  readonly hasErrors: boolean;
  /** The expressions of the language, as they stand outside of loops. */
  readonly language: Language;
  readonly vocabulary: Vocabulary;
  /** What the author wrote, by the expressions of the machine that it became; null: they are the same. */
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

/** To look for the nearest name takes long where there are many: nobody reads so many hints. */
const helped = 100;

/** A workflow that is being checked, and what was found so far. */
export class CheckReport {
  readonly problems: Problem[] = [];
  readonly workflow: Workflow;
  readonly context: CheckContext;
  readonly vocabulary: Vocabulary;
  #loops: ReadonlyMap<StepId, StepId | null> | null = null;

  constructor(workflow: Workflow, context: CheckContext) {
    this.workflow = workflow;
    this.context = context;
    this.vocabulary = context.vocabulary;
  }

  /** The loop that a step belongs to; null: it belongs to none; undefined: there is no such step. */
  loopOf(step: StepId): StepId | null | undefined {
    this.#loops ??= new Map(loopsIn(this.workflow.body, null));
    return this.#loops.get(step);
  }

  /** An expression as its author wrote it, and the part of the model that has its place. */
  written(tree: Tree, node: object): { readonly tree: Tree; readonly node: object } {
    const own = this.context.written?.get(tree);
    return own === undefined ? { tree, node } : { tree: own, node: own };
  }

  /** Well formed, and it cannot work. */
  error(at: At, message: string, hint: string | null = null): void {
    this.add('E_WORKFLOW', 'error', at, message, hint);
  }

  /** An expression that cannot have the value that is wanted of it. */
  expression(at: At, message: string, hint: string | null = null): void {
    this.add('E_EXPRESSION', 'error', at, message, hint);
  }

  /** The same, where it may still be meant so. */
  doubt(at: At, message: string, hint: string | null): void {
    this.add('E_EXPRESSION', 'warning', at, message, hint);
  }

  /** A name that nothing defines. `message` says it; the nearest name, or all of them, are the hint. */
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

/** A part of the model, one of its fields, or a part of the text that it was read from. */
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
