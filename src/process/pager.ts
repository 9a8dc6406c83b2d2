import { spawn } from 'node:child_process';
import process from 'node:process';

/** Without arguments, `less` as git starts it: short texts are printed, and colours are shown. */
const settings = { LESS: 'FRX', LV: '-c' };

/**
 * Shows text in a pager at the terminal of this process until its reader ends it. `command`: a
 * shell command that reads its input, as in $PAGER. False: it could not be started, or had to end.
 */
export function page(command: string, text: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const ignore = (): void => {};
  // Ctrl-C is for the pager.
  process.on('SIGINT', ignore);
  return new Promise<boolean>((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], {
      env: { ...settings, ...environment },
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code !== 126 && code !== 127));
    // It may end before it has read everything.
    child.stdin.on('error', ignore);
    child.stdin.end(text);
  }).finally(() => process.off('SIGINT', ignore));
}
