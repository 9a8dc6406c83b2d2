import process from 'node:process';
import { emitKeypressEvents, type Key } from 'node:readline';
import { readProcess } from './proc.ts';

/**
 * Reads single keys from the keyboard until the returned function is called. The terminal then
 * sends no signals for Ctrl-C and Ctrl-Z, so they are sent here, to the same processes. The system
 * stops a background job that uses the keyboard, so it reads none.
 */
export function onKey(act: (key: string) => void): () => void {
  const { stdin } = process;
  const pressed = (text: string | undefined, { name, ctrl }: Key) => {
    if (ctrl === true && name === 'c') process.kill(0, 'SIGINT');
    else if (ctrl === true && name === 'z') suspend();
    else if (text !== undefined && ctrl !== true) act(text);
  };
  const suspend = () => {
    release();
    process.kill(0, 'SIGTSTP');
  };
  const listen = () => {
    if (!isForeground()) return;
    emitKeypressEvents(stdin);
    stdin.off('keypress', pressed).on('keypress', pressed);
    stdin.setRawMode(true);
    stdin.resume();
  };
  const release = () => {
    stdin.off('keypress', pressed);
    if (isForeground()) stdin.setRawMode(false);
    stdin.pause();
  };
  process.on('SIGCONT', listen);
  listen();
  return () => {
    process.off('SIGCONT', listen);
    release();
  };
}

/** Where the system has no /proc, the program is taken to be in the foreground. */
function isForeground(): boolean {
  const own = readProcess(process.pid);
  return own === null || own.group === own.foreground;
}
