import process from 'node:process';
import { ownProgram } from './own-programs.ts';
import type { Containment } from '../types.ts';

/** Programs, libraries and the files that they look up; missing ones are left out. */
export const SYSTEM = `
  /usr /bin /sbin /lib /lib32 /lib64 /opt /nix/store /run/current-system
  /etc/alternatives /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/os-release /etc/static
  /etc/passwd /etc/group /etc/nsswitch.conf /etc/localtime /etc/timezone /etc/mime.types /etc/gitconfig
  /etc/hosts /etc/host.conf /etc/resolv.conf /etc/services /etc/protocols
  /etc/ssl /etc/pki /etc/ca-certificates /etc/ca-certificates.conf`
  .trim()
  .split(/\s+/);

/** Sufficient for root to work in other users' folders, without the capability to change mounts. */
const ROOT_CAPABILITIES = ['CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_CHOWN', 'CAP_SETUID', 'CAP_SETGID'];

/**
 * A nested sandbox maps its user to one of this sandbox, which the kernel allows root only with
 * this capability.
 */
const NESTING_CAPABILITY = 'CAP_SETFCAP';

/**
 * bwrap and its options, up to the program: the system's programs read-only, a private /tmp, /proc
 * and /dev, and the given paths. Of two nested paths the deeper one decides; for the same path the
 * protection wins. Hidden files are hidden everywhere.
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
    // A device in such a mount cannot be opened: a program can read neither its content nor that it
    // replaces another file.
    ...(sandbox.hidden ?? []).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    '--chdir',
    cwd,
    '--',
  ];
}

function depthOf(path: string): number {
  return path.split('/').filter((part) => part !== '').length;
}
