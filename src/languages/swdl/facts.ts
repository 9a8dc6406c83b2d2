import type { Graph, GraphNode } from '../../workflow/check/body.ts';
import type { ValueType } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { LanguageContext } from '../shared/context.ts';
import type { StageInput, SwdlFile } from './schema.ts';

/** What is known of a stage before it is lowered. */
export interface KnownStage {
  readonly input: StageInput;
  readonly path: Path;
  /** Null: it hands over a list, or nothing that is declared. */
  readonly outputs: Readonly<Record<string, ValueType>> | null;
}

/** Where an expression stands. */
export interface Place {
  /** Null: in no stage. */
  readonly stage: string | null;
  /** All stages are over. */
  readonly over: boolean;
  /** `item` is there. */
  readonly item: boolean;
}

/** What the parts of a file are lowered with. */
export interface Lowering {
  readonly diagnostics: Diagnostics;
  readonly surroundings: LanguageContext;
  readonly file: Partial<SwdlFile>;
  readonly stages: ReadonlyMap<string, KnownStage>;
  readonly order: Graph<GraphNode>;
  readonly parameters: Readonly<Record<string, ValueType>>;
}

export const outside: Place = { stage: null, over: false, item: false };
