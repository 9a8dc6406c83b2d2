// `npm run kill-matrix` and `npm run kill-matrix:runs`: see `playMatrix` for what they can be asked.
import process from 'node:process';
import { playMatrix } from './command.ts';
import { mail } from './mail/mail.ts';
import { runs } from './runs/runs.ts';

const [subject, ...args] = process.argv.slice(2);
process.exitCode = await (subject === 'runs' ? playMatrix(runs, args) : playMatrix(mail, args));
