import { join } from 'node:path';
import { MailroomError } from '../../kernel/errors.ts';
import { oneLine } from '../../kernel/one-line.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { formatDuration } from '../../kernel/duration.ts';
import type { Disk } from '../../disk/disk.ts';
import { ProblemsError } from './problems.ts';
import type { FoundWorkflow, OneShot } from './contracts.ts';
import type { Settings } from './definition.ts';
import { checkWorkflow } from './workflows.ts';

const usualTime = 3_600_000;

/** The longest beginning of a task that names its run, in characters. */
const nameLength = 60;

/**
 * A workflow with one step, `work`, whose agent gets the text as it is. Nothing of its run is shown
 * in the workspace. Throws `E_USAGE` for an agent without a provider.
 */
export async function oneShotWorkflow(
  disk: Disk,
  settings: Settings,
  { agent, text, model, capabilities, timeout }: OneShot,
): Promise<FoundWorkflow> {
  const known = [...settings.providers.keys()].filter((name) => name !== 'human');
  if (!known.includes(agent)) {
    const hint = didYouMean(agent, known) ?? `there are ${known.join(', ')}`;
    throw new MailroomError('E_USAGE', `no agent is called \`${agent}\``, hint);
  }
  const rights = capabilities ?? settings.config.defaults.capabilities ?? ['READ', 'EDIT', 'RUN_TESTS'];
  const work = {
    provider: agent,
    ...(model !== null && { model }),
    instructions: text.replaceAll('${{', "${{ '${{' }}"),
    capabilities: [...rights],
  };
  // No key but the instructions reads expressions.
  const name = oneLine(`${agent}: ${text.replaceAll('${{', '{{')}`, nameLength);
  const workflow = {
    name,
    version: '1',
    timeout: formatDuration(timeout ?? usualTime),
    runs: { at_once: 'any' },
    steps: { work },
  };
  const file = join(disk.root, 'one-shot');
  const found = await checkWorkflow(disk, settings, JSON.stringify(workflow), file);
  const { checked } = found;
  if (checked.ok) return { ...found, checked: { ...checked, value: { ...checked.value, contextDir: null } } };
  // The person has written none of the places.
  throw new ProblemsError(checked.problems.map((problem) => ({ ...problem, place: null })));
}
