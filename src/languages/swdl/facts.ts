import type { Graph, GraphNode } from '../../workflow/check/body.ts';
import type { ValueType } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { LanguageContext } from '../shared/context.ts';
import type { StageInput, SwdlFile } from './schema.ts';

/** Facts about a stage before it is lowered. */
export interface KnownStage {
  readonly input: StageInput;
  readonly path: Path;
  /** Null: its output is a list, or undeclared. */
  readonly outputs: Readonly<Record<string, ValueType>> | null;
}

/** The place of an expression. */
export interface Place {
  /** Null: outside the stages. */
  readonly stage: string | null;
  /** All stages have ended. */
  readonly over: boolean;
  /** `item` is available. */
  readonly item: boolean;
}

/** The context in which the parts of a file are lowered. */
export interface Lowering {
  readonly diagnostics: Diagnostics;
  readonly context: LanguageContext;
  readonly file: Partial<SwdlFile>;
  readonly stages: ReadonlyMap<string, KnownStage>;
  readonly order: Graph<GraphNode>;
  readonly parameters: Readonly<Record<string, ValueType>>;
  /** By stage: the names of stages that its expressions read, noted while they are lowered. */
  readonly reads: Map<string, Set<string>>;
}

export const outside: Place = { stage: null, over: false, item: false };
