import process from 'node:process';
import { sandboxArguments } from './bubblewrap.ts';
import { buildEnvironment } from './environment.ts';
import { ownProgram } from './own-programs.ts';
import { run } from '../run.ts';
import type { Containment } from '../types.ts';

/**
 * Reports readiness on file descriptor 4 and continues when a line arrives on 3. End of file there
 * ends it.
 */
const BARRIER = 'echo r >&4; read -r x <&3 || exit 125; exec 3<&- 4>&-; ';
/** Replaces the shell by the program. */
const BECOME = 'exec "$@"';
/**
 * Stays the first process of a namespace: it reaps orphans, and signals reach the program, which is
 * not the first.
 */
const STAY = '(exec "$@"); exit $?';

/**
 * Root's capabilities in a namespace: sufficient for work in other users' folders, without those
 * that change mounts or enter another namespace.
 */
const ROOT_BOUNDS =
  '-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setfcap,+net_bind_service';

const PROBE_MS = 3000;

/**
 * The command line that runs `argv` in this containment and, if requested, behind the launch
 * barrier on file descriptors 3 and 4.
 */
export function wrap(
  containment: Containment,
  argv: readonly string[],
  barrier: boolean,
  cwd: string,
): string[] {
  const opening = barrier ? BARRIER : '';
  switch (containment.kind) {
    case 'group':
      return barrier ? [ownProgram('sh'), '-c', opening + BECOME, 'sh', ...argv] : [...argv];
    case 'namespace':
      return [...namespaceArguments(containment), ownProgram('sh'), '-c', opening + STAY, 'sh', ...argv];
    case 'bubblewrap': {
      const inner = barrier ? [ownProgram('sh'), '-c', opening + BECOME, 'sh', ...argv] : argv;
      return [...sandboxArguments(containment, cwd), ...inner];
    }
  }
}

function namespaceArguments({ user, network }: Extract<Containment, { kind: 'namespace' }>): string[] {
  const own = user ? '--user --map-current-user ' : '';
  const alone = network ? '' : '--net ';
  const words = `--pdeathsig KILL ${ownProgram('unshare')} ${own}${alone}--pid --fork --kill-child --mount-proc --`;
  // With all of root's capabilities a process could leave the namespace again.
  const bounds = user ? [] : [ownProgram('setpriv'), '--inh-caps=-all', `--bounding-set=${ROOT_BOUNDS}`];
  return [ownProgram('setpriv'), ...words.split(' '), ...bounds];
}

type Availability = { readonly works: true } | { readonly works: false; readonly why: string };

export interface ContainmentProbe {
  readonly bubblewrap: Availability;
  /** `user`: works only together with a user namespace. */
  readonly namespace:
    { readonly works: true; readonly user: boolean } | { readonly works: false; readonly why: string };
  readonly group: { readonly works: true };
}

let probed: Promise<ContainmentProbe> | undefined;

/**
 * The kinds of containment that work on this host, tested by running a program in each; once per
 * process.
 */
export function probeContainment(): Promise<ContainmentProbe> {
  probed ??= probe();
  return probed;
}

async function probe(): Promise<ContainmentProbe> {
  const sandbox: Containment = {
    kind: 'bubblewrap',
    writable: [],
    readable: [],
    network: true,
    nests: false,
  };
  const [bubblewrap, privileged, user] = await Promise.all([
    attempt(sandbox),
    attempt({ kind: 'namespace', user: false, network: true }),
    attempt({ kind: 'namespace', user: true, network: true }),
  ]);
  const namespace = privileged.works
    ? { works: true as const, user: false }
    : user.works
      ? { works: true as const, user: true }
      : { works: false as const, why: user.why };
  return { bubblewrap, namespace, group: { works: true } };
}

async function attempt(containment: Containment): Promise<Availability> {
  if (process.platform !== 'linux') return { works: false, why: 'only Linux has namespaces' };
  const argv = wrap(containment, ['test', '-r', '/proc/self/stat'], false, '/');
  const result = await run(argv, {
    cwd: '/',
    env: buildEnvironment(),
    timeoutMs: PROBE_MS,
    maxOutputBytes: 4096,
  });
  if (result.ended === 'exited' && result.exitCode === 0) return { works: true };
  const why = result.error ?? result.stderr.trim().split('\n')[0] ?? '';
  return { works: false, why: why === '' ? `${argv[0]} ended with exit code ${result.exitCode}` : why };
}
