import type { Workflow } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from './diagnostics.ts';

/** Returns the workflow of another file; null, if its problems were reported. */
export type ReadChild = (diagnostics: Diagnostics, path: Path, file: string) => Workflow | null;
