/** `busy`: something will happen by itself. The others say why nothing does. */
export type Idle = 'busy' | 'done' | 'waiting_for_user' | 'stuck';
