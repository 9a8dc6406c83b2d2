/** `busy`: work continues without input. The others say why it does not. */
export type Idle = 'busy' | 'done' | 'waiting_for_user' | 'stuck';

/** What a host moved to `failed`: the threads concerned, and files that it did not accept. */
export interface Failures {
  readonly threads: number;
  readonly files: number;
}
