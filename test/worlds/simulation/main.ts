// `npm run simulate`, and `simulate:runs`, `simulate:workers` and `simulate:parallel`: see `simulate` for what they can be asked.
import process from 'node:process';
import { simulate } from './command.ts';
import { mail, parallel, workers } from './mail/schedule.ts';
import { runs } from './runs/schedule.ts';

const subjects = { mail, parallel, runs, workers };
const [name = 'mail', ...args] = process.argv.slice(2);
const subject = subjects[name as keyof typeof subjects];
await simulate(subject, import.meta.url, [name, ...args]);
