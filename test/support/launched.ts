import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { openLauncher, readyLauncher, useLaunchers } from '../../src/process/starting/launcher.ts';
import { packageRoot } from './project.ts';

/* Lets the tests of a file start their programs through the built launcher. */

const { startLauncher } = createRequire(import.meta.url)(join(packageRoot, 'bin/launcher.cjs')) as {
  startLauncher: (file: string) => ChildProcess;
};

useLaunchers(() => startLauncher(join(packageRoot, 'dist/launcher.cjs')));
openLauncher();
while (readyLauncher() === null) await new Promise((resolve) => setTimeout(resolve, 5));
