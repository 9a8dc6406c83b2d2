import type { Workflow } from '../model.ts';

/** What lies in the folder of a run besides its journal. */
export interface RunFolder {
  readonly run: string;
  /** The definition as it was at the start; sub-workflows are inside it. */
  readonly definition: Workflow;
  /** Absolute; what paths of the definition are relative to. */
  readonly workspace: string;
  /** Absolute; where its artifacts lie now. Missing: where the definition says. */
  readonly context?: string;
}
