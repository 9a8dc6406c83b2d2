import { join } from 'node:path';
import picomatch from 'picomatch';
import { type Config, kindOf, isAgentProvider } from '../config/config.ts';
import { MailroomError } from '../kernel/errors.ts';
import { probeContainment, type ContainmentProbe } from '../process/sandbox/containment.ts';
import { apiFolder, lockNames } from '../kernel/lock-names.ts';
import { sandboxFor } from '../process/sandbox/sandbox.ts';
import type { Containment, AccessRequest } from '../process/types.ts';
import type { Disk } from '../disk/disk.ts';

/** The containment of a process, by its access. */
export type Contain = (reach: AccessRequest) => Containment;

/**
 * The containment of turns of roles and their gates. With `sandbox: required` everything is in a
 * sandbox. With `auto` agents are, where that works here, and the author's programs have a PID
 * namespace, as all have with `off`; where there is none, a process group. Throws `E_PROVIDER`
 * where a sandbox is required and there is none. `extended`: files that the protocol extends, which
 * are rules as well.
 */
export async function agentContainment(
  disk: Disk,
  config: Config,
  extended: readonly string[] = [],
): Promise<Contain> {
  const probe = await probeContainment();
  expectSandbox(config, probe);
  return (reach) => {
    const agent = reach.provider !== null && isAgentProvider(config, reach.provider);
    const sandboxed = config.sandbox === 'required' || (config.sandbox === 'auto' && agent);
    if (sandboxed && probe.bubblewrap.works) return inSandbox(disk, config, extended, reach);
    const { namespace } = probe;
    if (!namespace.works) return { kind: 'group' };
    return { kind: 'namespace', user: namespace.user, network: reach.network };
  };
}

function expectSandbox({ sandbox }: Config, { bubblewrap }: ContainmentProbe): void {
  if (sandbox !== 'required' || bubblewrap.works) return;
  const message = `sandbox: required, but there is none: ${bubblewrap.why}`;
  throw new MailroomError(
    'E_PROVIDER',
    message,
    'install bubblewrap; `mailroom doctor` says whether it works',
  );
}

/** Codex starts a sandbox of its own, which must be possible inside the outer one. */
function inSandbox(
  disk: Disk,
  config: Config,
  extended: readonly string[],
  reach: AccessRequest,
): Containment {
  const nests = reach.provider !== null && kindOf(config, reach.provider) === 'codex';
  // A missing folder could be created, and locked, while an agent runs.
  disk.makeFolder(lockNames.folder);
  disk.makeFolder(apiFolder);
  disk.openAppend(lockNames.project).close();
  const rules = extended.map((path) => join(disk.root, path));
  const globs = [...config.protected];
  const isProtected = globs.length === 0 ? undefined : picomatch(globs);
  return sandboxFor(reach, { project: disk.root, nests, rules, ...(isProtected && { isProtected }) });
}
