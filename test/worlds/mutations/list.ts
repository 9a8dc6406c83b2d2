import { channels } from './channels.ts';
import { disk } from './disk.ts';
import { git } from './git.ts';
import { mail } from './mail.ts';
import { money } from './money.ts';
import { processes } from './processes.ts';
import { runs } from './runs.ts';
import { sandbox } from './sandbox.ts';
import { security } from './security.ts';
import { turns } from './turns.ts';
import { ofExtensions } from '../../support/of-extensions.ts';
import type { Mutation } from './mutation.ts';

const added = await ofExtensions<{ readonly mutations: readonly Mutation[] }>('mutations.ts');

/** What docs/reliability.md and docs/security.md promise, broken one line at a time. */
export const mutations: readonly Mutation[] = [
  ...disk,
  ...processes,
  ...mail,
  ...turns,
  ...money,
  ...runs,
  ...git,
  ...sandbox,
  ...security,
  ...channels,
  ...[...added.values()].flatMap((each) => each.mutations),
];
