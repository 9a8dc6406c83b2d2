import type { Disk } from '../../disk/disk.ts';
import type { Config } from '../../config/config.ts';
import type { Workflow, Body, Work } from '../model.ts';
import { type Contain, agentContainment } from '../../host/containment.ts';
import type { Containment, AccessRequest } from '../../process/types.ts';
import { innerOf } from '../bodies.ts';

/**
 * The containment of a run's processes. The author is trusted for commands and scripts: unless a
 * sandbox is required or they must have no network, a process group suffices, and escaped processes
 * are found by their mark.
 */
export async function stepContainment(
  disk: Disk,
  { config, extended }: { readonly config: Config; readonly extended: readonly string[] },
  definition: Workflow,
): Promise<Contain> {
  const group: Containment = { kind: 'group' };
  if (config.sandbox !== 'required' && !holdsAny(definition.body)) return () => group;
  const contain = await agentContainment(disk, config, extended);
  const free = ({ provider, network }: AccessRequest) =>
    provider === null && network && config.sandbox !== 'required';
  return (reach) => (free(reach) ? group : contain(reach));
}

/** Whether a process needs more containment than a group. */
function holdsAny({ steps }: Body): boolean {
  return steps.some(
    ({ work, check, network }) => network === false || isHeld(work) || (check !== null && isHeld(check.work)),
  );
}

function isHeld(work: Work): boolean {
  const inner = innerOf(work);
  return inner === null ? work.kind === 'agent' : holdsAny(inner);
}
