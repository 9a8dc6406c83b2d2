import type { Profile } from '../../config/profiles.ts';
import type { Capability } from '../../kernel/capabilities.ts';
import type { Language } from '../../expressions/language.ts';
import type { Step } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { ReadChild } from '../shared/children.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { StepInput } from './step-schema.ts';

/** The agents of the configuration, and the defaults where neither they nor a step say more. */
interface AgentDefaults {
  readonly profiles: ReadonlyMap<string, Profile>;
  /** Null: none. */
  readonly provider: string | null;
  readonly capabilities: readonly Capability[];
}

/** The context in which steps are lowered. */
export interface Lowering {
  readonly diagnostics: Diagnostics;
  /** What expressions can read at this place. */
  readonly language: Language;
  readonly readChild: ReadChild;
  readonly agents: AgentDefaults;
  /** The timeout of steps without one, in milliseconds; null: their own default. */
  readonly timeout: number | null;
  /** Whether the workers here share the git worktree of an item. */
  readonly isolated: boolean;
  /** Lowers the steps of a body. */
  steps(input: Readonly<Record<string, StepInput>>, path: Path, lowering: Lowering): Step[];
}
