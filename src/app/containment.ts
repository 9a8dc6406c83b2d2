import process from 'node:process';
import type { Config } from '../core/config.ts';
import { MailroomError } from '../core/errors.ts';
import type { Body, Work, Workflow } from '../core/workflow/model.ts';
import { probeContainment } from '../process/containment.ts';
import type { StepRunnerOptions } from '../process/step-runner.ts';
import type { Containment } from '../process/types.ts';
import type { RealDisk } from '../store/real-disk.ts';

/** How agents are held: in a sandbox where one is required, else in a PID namespace, else in a process group. */
export async function agentContainment(
  disk: RealDisk,
  config: Config,
): Promise<(writable: readonly string[]) => Containment> {
  const probe = await probeContainment();
  if (config.sandbox === 'required') {
    if (!probe.bubblewrap.works)
      throw new MailroomError(
        'E_PROVIDER',
        `sandbox: required, but there is none: ${probe.bubblewrap.why}`,
        'install bubblewrap',
      );
    return (writable) => ({
      kind: 'bubblewrap',
      writable,
      readable: [disk.root, process.execPath],
      network: true,
    });
  }
  const { namespace } = probe;
  return () => (namespace.works ? { kind: 'namespace', user: namespace.user } : { kind: 'group' });
}

/**
 * How the processes of a run are held. Commands and scripts are their author's word: outside a sandbox a process group is
 * enough for them, and what leaves it is found by its mark.
 */
export async function stepContainment(
  disk: RealDisk,
  config: Config,
  definition: Workflow,
): Promise<StepRunnerOptions['contain']> {
  const group: Containment = { kind: 'group' };
  if (config.sandbox !== 'required' && !hasAgents(definition.body)) return () => group;
  const agents = await agentContainment(disk, config);
  return (job, writable) => (job.agent || config.sandbox === 'required' ? agents(writable) : group);
}

function hasAgents({ steps }: Body): boolean {
  return steps.some(({ work, check }) => isAgent(work) || (check !== null && isAgent(check.work)));
}

function isAgent(work: Work): boolean {
  if (work.kind === 'for-each') return hasAgents(work.body);
  return work.kind === 'workflow' ? hasAgents(work.workflow.body) : work.kind === 'agent';
}
