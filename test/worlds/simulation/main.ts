// `npm run simulate`, `npm run simulate:runs` and `npm run simulate:workers`: see `simulate` for what they can be asked.
import process from 'node:process';
import { simulate } from './command.ts';
import { mail, workers } from './mail/schedule.ts';
import { runs } from './runs/schedule.ts';

const subjects = { mail, runs, workers };
const [name = 'mail', ...args] = process.argv.slice(2);
const subject = subjects[name as keyof typeof subjects];
await simulate(subject, import.meta.url, [name, ...args]);
