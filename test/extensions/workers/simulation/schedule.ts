import { named } from '../../../worlds/simulation/mail/protocol-choice.ts';
import { begin, mail } from '../../../worlds/simulation/mail/schedule.ts';
import type { Subject } from '../../../worlds/simulation/schedule.ts';

/** The mail of a project whose roles work on other hosts. */
export const subject: Subject = {
  ...mail,
  command: 'simulate:workers',
  schedules: 'schedules of workers',
  // It has one protocol, which does not reach everything.
  enough: Infinity,
  begin: (random) => begin(random, { name: 'away', protocol: named('away') }),
};
