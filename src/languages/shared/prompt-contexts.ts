/** What the prompts of a step have besides its instructions and inputs, as its files are now. */
export interface PromptContext {
  /** The step; null: every step that says nothing else. */
  readonly step: string | null;
  /** In the order of the prompt. One that the workflow and the step name is there once. */
  readonly modules: readonly BoundModule[];
  /** Null: no memories are selected. */
  readonly memory: SelectedMemories | null;
}

interface BoundModule {
  /** `ctx:rules`. */
  readonly name: string;
  /** Null: it does not exist. */
  readonly file: string | null;
  readonly from: 'workflow' | 'step' | 'both';
}

/** The selection of memories for a prompt. */
export interface MemoryQuery {
  readonly scope: string;
  readonly minConfidence: number;
  /** Null: all. */
  readonly categories: readonly string[] | null;
  readonly maxTokens: number;
}

/** What a query finds; the most confident memory comes first. */
interface SelectedMemories extends MemoryQuery {
  /** Those that the prompt has. */
  readonly packed: readonly FoundMemory[];
  /** Those that match and have no room. */
  readonly noRoom: readonly FoundMemory[];
}

export interface FoundMemory {
  readonly file: string;
  readonly category: string | null;
  readonly confidence: number;
  /** An estimate. */
  readonly tokens: number;
}
