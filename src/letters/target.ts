import type { RoleName, ThreadId } from '../kernel/ids.ts';

/** `t1`, `t2`, …: numbered by `apply` from a counter in the state. */
export type TurnId = string;

export type Target =
  | { readonly kind: 'all' }
  | { readonly kind: 'role'; readonly role: RoleName }
  | { readonly kind: 'thread'; readonly thread: ThreadId }
  | { readonly kind: 'turn'; readonly turn: TurnId };
