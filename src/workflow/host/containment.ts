import type { RealDisk } from '../../disk/real-disk.ts';
import type { Config } from '../../config/config.ts';
import type { Workflow, Body, Work } from '../model.ts';
import { type Contain, agentContainment } from '../../host/containment.ts';
import type { Containment, AccessRequest } from '../../process/types.ts';
import { innerOf } from '../bodies.ts';

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
  const free = ({ provider, network }: AccessRequest) =>
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
