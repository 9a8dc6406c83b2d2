// `npm run kill-matrix`: see `playMatrix` for what it can be asked.
import process from 'node:process';
import { playMatrix } from '../killing/command.ts';
import { mail } from './mail.ts';
import { page } from './page.ts';

process.exitCode = await playMatrix(mail, new URL('controller.ts', import.meta.url), page);
