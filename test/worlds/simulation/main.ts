// `npm run simulate` and `npm run simulate:runs`: see `simulate` for what they can be asked.
import process from 'node:process';
import { simulate } from './command.ts';
import { mail } from './mail/schedule.ts';
import { runs } from './runs/schedule.ts';

const [subject, ...args] = process.argv.slice(2);
await simulate(subject === 'runs' ? runs : mail, import.meta.url, [subject ?? 'mail', ...args]);
