import type { Workflow } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from './diagnostics.ts';

/** Gives the workflow in another file; null, when it was told what is wrong. */
export interface Children {
  child(diagnostics: Diagnostics, path: Path, file: string): Workflow | null;
}
