// `npm run simulate`, and `simulate:runs`, `simulate:workers` and `simulate:parallel`: see `simulate` for what they can be asked.
import process from 'node:process';
import { simulate } from './command.ts';
import { ofExtensions } from '../../support/of-extensions.ts';
import { mail, parallel } from './mail/schedule.ts';
import { runs } from './runs/schedule.ts';
import type { Subject } from './schedule.ts';

const added = await ofExtensions<{ readonly subject: Subject }>('simulation/schedule.ts');
const subjects: Readonly<Record<string, Subject | undefined>> = { mail, parallel, runs };
const [name = 'mail', ...args] = process.argv.slice(2);
const subject = subjects[name] ?? added.get(name)?.subject;
if (subject === undefined) throw new Error(`nothing named ${name} is simulated`);
await simulate(subject, import.meta.url, [name, ...args]);
