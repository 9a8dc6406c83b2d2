import process from 'node:process';
import { ownProgram } from './own-programs.ts';
import type { Containment } from '../types.ts';

/** Programs, libraries and what they look up; where one is missing it is left out. */
export const SYSTEM = `
  /usr /bin /sbin /lib /lib32 /lib64 /opt /nix/store /run/current-system
  /etc/alternatives /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/os-release /etc/static
  /etc/passwd /etc/group /etc/nsswitch.conf /etc/localtime /etc/timezone /etc/mime.types /etc/gitconfig
  /etc/hosts /etc/host.conf /etc/resolv.conf /etc/services /etc/protocols
  /etc/ssl /etc/pki /etc/ca-certificates /etc/ca-certificates.conf`
  .trim()
  .split(/\s+/);

/** Enough for root to work in folders of other users, and nothing that could change a mount. */
const ROOT_CAPABILITIES = ['CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_CHOWN', 'CAP_SETUID', 'CAP_SETGID'];

/** A sandbox within this one maps its user to a user of ours, which the kernel lets root do only with this. */
const NESTING_CAPABILITY = 'CAP_SETFCAP';

/**
 * bwrap and its options, up to the program: the system's programs read-only, a private /tmp, /proc and /dev, and the
 * given paths. Where two of them lie within each other, the deeper one decides; of the same path what is held comes last. What
 * is hidden is hidden in all of them.
 */
export function sandboxArguments(sandbox: Containment & { kind: 'bubblewrap' }, cwd: string): string[] {
  const binds = [
    ...sandbox.readable.map((path) => ({ path, option: '--ro-bind-try' })),
    ...sandbox.writable.map((path) => ({ path, option: '--bind-try' })),
    ...(sandbox.held ?? []).map((path) => ({ path, option: '--ro-bind-try' })),
  ].toSorted((a, b) => depthOf(a.path) - depthOf(b.path));
  const nesting = sandbox.nests ? [NESTING_CAPABILITY] : [];
  const capabilities = process.getuid?.() === 0 ? [...ROOT_CAPABILITIES, ...nesting] : [];
  return [
    ownProgram('bwrap'),
    '--unshare-pid',
    '--unshare-ipc',
    '--die-with-parent',
    ...(sandbox.network ? [] : ['--unshare-net']),
    '--cap-drop',
    'ALL',
    ...capabilities.flatMap((name) => ['--cap-add', name]),
    ...SYSTEM.flatMap((path) => ['--ro-bind-try', path, path]),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    ...binds.flatMap(({ option, path }) => [option, path, path]),
    ...(sandbox.emptied ?? []).flatMap((path) => ['--tmpfs', path]),
    // A device cannot be opened in what is bound so: neither its content nor that it was another file can be told.
    ...(sandbox.hidden ?? []).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    '--chdir',
    cwd,
    '--',
  ];
}

function depthOf(path: string): number {
  return path.split('/').filter((part) => part !== '').length;
}
