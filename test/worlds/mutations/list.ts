import { mail } from './mail.ts';
import { runs } from './runs.ts';
import { security } from './security.ts';
import { workers } from './workers.ts';
import type { Mutation } from './mutation.ts';

/** What docs/reliability.md and docs/security.md promise, broken one line at a time. */
export const mutations: readonly Mutation[] = [...mail, ...runs, ...workers, ...security];
