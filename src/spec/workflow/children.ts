import type { Workflow } from '../../core/workflow/model.ts';
import type { Path } from '../yaml.ts';
import type { Scribe } from './scribe.ts';

/** Gives the workflow in another file; null, when it was told what is wrong. */
export interface Children {
  child(scribe: Scribe, path: Path, file: string): Workflow | null;
}
