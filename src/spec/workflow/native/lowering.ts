import type { Language } from '../../../core/expression/language.ts';
import type { Step } from '../../../core/workflow/model.ts';
import type { Path } from '../../yaml.ts';
import type { Children } from '../children.ts';
import type { Scribe } from '../scribe.ts';
import type { StepInput } from './step-schema.ts';

/** What steps are lowered with. */
export interface Lowering {
  readonly scribe: Scribe;
  /** What expressions may read where the steps stand. */
  readonly language: Language;
  readonly children: Children;
  /** Lowers the steps of a body. */
  steps(input: Readonly<Record<string, StepInput>>, path: Path, lowering: Lowering): Step[];
}
