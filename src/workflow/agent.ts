import type { Template } from '../expressions/template.ts';
import type { Capability } from '../kernel/capabilities.ts';

/** One invocation of an agent's program. */
export interface Agent {
  readonly kind: 'agent';
  readonly provider: string;
  readonly model: string | null;
  /** The variant of the model, or its effort, as the program names it; absent: its default. */
  readonly variant?: string;
  readonly instructions: Template;
  readonly capabilities: readonly Capability[];
  readonly maxSteps: number | null;
  /** The timeout in milliseconds of each command that the agent runs. */
  readonly maxCommandTime: number | null;
  /** Names of MCP servers in the person's own settings that it may use; absent: none. */
  readonly mcp?: readonly string[];
  /** True: it may write agent configuration in its workspace; absent: it must not. */
  readonly mayConfigure?: true;
  /** The agent of the configuration that it takes settings from; absent: none. */
  readonly profile?: TakenProfile;
}

/** An agent of the configuration, and the keys that it sets for a step. */
export interface TakenProfile {
  readonly name: string;
  readonly sets: readonly string[];
}
