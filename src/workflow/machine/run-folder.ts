import type { Workflow } from '../model.ts';

/** What a run's folder has besides its journal. */
export interface RunFolder {
  readonly run: string;
  /** The definition at the start, with sub-workflows embedded. */
  readonly definition: Workflow;
  /** Absolute; paths of the definition are relative to it. */
  readonly workspace: string;
  /** Absolute; where its artifacts are. Absent: where the definition says. */
  readonly context?: string;
}
