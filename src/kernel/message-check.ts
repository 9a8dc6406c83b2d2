/** Evidence that is checked before a turn may commit a message. */
export type MessageCheck =
  | { readonly kind: 'run'; readonly argv: readonly string[]; readonly timeout: number }
  | { readonly kind: 'changed'; readonly globs: readonly string[] };
