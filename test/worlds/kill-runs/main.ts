// `npm run kill-matrix:runs`: see `playMatrix` for what it can be asked.
import process from 'node:process';
import { playMatrix } from '../killing/command.ts';
import { page } from './page.ts';
import { runs } from './runs.ts';

process.exitCode = await playMatrix(runs, new URL('controller.ts', import.meta.url), page);
