/** Evidence that is checked before a turn may commit a message. */
export type MessageCheck =
  | {
      readonly kind: 'run';
      readonly argv: readonly string[];
      readonly timeout: number;
      /** The work of the message alone, or merged with that of all other roles in the thread. */
      readonly on: 'own' | 'merged';
    }
  | { readonly kind: 'changed'; readonly globs: readonly string[] };
