import type { Config } from './config.ts';

/**
 * Whether a permission that a program cannot enforce is an error. A required sandbox makes it one
 * too: the sandbox has only the switches of the programs themselves, so it cannot enforce such a
 * permission.
 */
export function isStrict({ capabilities, sandbox }: Config): boolean {
  return capabilities === 'strict' || sandbox === 'required';
}

/** The hint for an error of `isStrict`. */
export const strictHint =
  '`capabilities: strict` or `sandbox: required` in mailroom.yaml refuses this: grant what it would have anyway, or take another provider';
