import type { Config } from './config.ts';

/**
 * Whether a right that a program cannot be held to is an error. No sandbox of ours is finer than the programs' own switches, so
 * where one is required it does not make such a right good.
 */
export function isStrict({ capabilities, sandbox }: Config): boolean {
  return capabilities === 'strict' || sandbox === 'required';
}

/** What to say of it. */
export const strictHint =
  '`capabilities: strict` or `sandbox: required` in mailroom.yaml refuses this: grant what it would have anyway, or take another provider';
