import type { Target } from './target.ts';
import { protocols, settings } from './targets/definitions.ts';
import { journals } from './targets/journals.ts';
import { letters, otherKinds } from './targets/letters.ts';
import { messages } from './targets/messages.ts';
import { outputs } from './targets/outputs.ts';

export const targets: readonly Target[] = [
  messages,
  protocols,
  settings,
  journals,
  outputs,
  letters,
  otherKinds,
];
