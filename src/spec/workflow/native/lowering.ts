import type { Language } from '../../../core/expression/language.ts';
import type { Step, Workflow } from '../../../core/workflow/model.ts';
import type { Path } from '../../yaml.ts';
import type { Scribe } from '../scribe.ts';
import type { StepInput } from './step-schema.ts';

/** Gives the workflow in another file; null, when it was told what is wrong. */
export interface Children {
  child(scribe: Scribe, path: Path, file: string): Workflow | null;
}

/** What steps are lowered with. */
export interface Lowering {
  readonly scribe: Scribe;
  /** What expressions may read where the steps stand. */
  readonly language: Language;
  readonly children: Children;
  /** Lowers the steps of a body. */
  steps(input: Readonly<Record<string, StepInput>>, path: Path, lowering: Lowering): Step[];
}
