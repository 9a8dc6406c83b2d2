import type { Config, ProviderKind } from '../core/config.ts';
import { MailroomError } from '../core/errors.ts';
import { innerOf } from '../core/workflow/bodies.ts';
import type { Body, Work, Workflow } from '../core/workflow/model.ts';
import { probeContainment, type ContainmentProbe } from '../process/containment.ts';
import { sandboxFor } from '../process/sandbox.ts';
import type { Containment, Reach } from '../process/types.ts';
import type { RealDisk } from '../store/real-disk.ts';

/** How each process is held, by what it is to reach. */
export type Contain = (reach: Reach) => Containment;

const agentKinds: readonly string[] = ['claude', 'codex', 'gemini', 'opencode'] satisfies ProviderKind[];

/** What stands behind the name of a provider. */
export function kindOf(config: Config, provider: string): string {
  return config.providers.get(provider)?.kind ?? provider;
}

/** True for an agent's program; false for one that the project's author wrote, and for what a recording replays. */
export function isAgentProvider(config: Config, provider: string): boolean {
  return agentKinds.includes(kindOf(config, provider));
}

/**
 * How turns of roles and their gates are held. With `sandbox: required` everything is in a sandbox. With `auto` agents are,
 * where that works here, and what the project's author wrote has a PID namespace, as all have with `off`; where there is
 * none, a process group. Throws `E_PROVIDER` where a sandbox is required and there is none.
 */
export async function agentContainment(disk: RealDisk, config: Config): Promise<Contain> {
  const probe = await probeContainment();
  expectSandbox(config, probe);
  return (reach) => {
    const agent = reach.provider !== null && isAgentProvider(config, reach.provider);
    const sandboxed = config.sandbox === 'required' || (config.sandbox === 'auto' && agent);
    if (sandboxed && probe.bubblewrap.works) return inSandbox(disk, config, reach);
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

/** Codex starts a sandbox of its own, which must be possible inside ours. */
function inSandbox(disk: RealDisk, config: Config, reach: Reach): Containment {
  const nests = reach.provider !== null && kindOf(config, reach.provider) === 'codex';
  return sandboxFor(reach, { project: disk.root, nests });
}

/**
 * How the processes of a run are held. Commands and scripts are their author's word: where no sandbox is required and they
 * may have a network, a process group is enough for them, and what leaves it is found by its mark.
 */
export async function stepContainment(
  disk: RealDisk,
  config: Config,
  definition: Workflow,
): Promise<Contain> {
  const group: Containment = { kind: 'group' };
  if (config.sandbox !== 'required' && !holdsAny(definition.body)) return () => group;
  const contain = await agentContainment(disk, config);
  const free = ({ provider, network }: Reach) =>
    provider === null && network && config.sandbox !== 'required';
  return (reach) => (free(reach) ? group : contain(reach));
}

/** Whether there is a process that more than a group must hold. */
function holdsAny({ steps }: Body): boolean {
  return steps.some(
    ({ work, check, network }) => network === false || isHeld(work) || (check !== null && isHeld(check.work)),
  );
}

function isHeld(work: Work): boolean {
  const inner = innerOf(work);
  return inner === null ? work.kind === 'agent' : holdsAny(inner);
}
