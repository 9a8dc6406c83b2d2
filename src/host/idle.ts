/** `busy`: work continues without input. The others say why it does not. */
export type Idle = 'busy' | 'done' | 'waiting_for_user' | 'stuck';
