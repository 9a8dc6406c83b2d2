import type { Config } from '../../config/config.ts';
import type { Problem } from './check.ts';
import type { Protocol } from '../format/protocol.ts';
import { lowerLimits } from './limits.ts';
import { isInside, tidyPath } from '../../yaml/paths.ts';
import type { Merged } from './merge.ts';
import { lowerRoles } from './roles.ts';
import { lowerTypes } from './types.ts';
import { limitSettings } from '../../config/limits.ts';

/** A protocol with every default filled in, its names not yet checked, and the problems found. */
interface Lowered {
  readonly protocol: Protocol;
  readonly problems: readonly Problem[];
}

/**
 * Fills in the defaults of mailroom.yaml, then the built-in ones. `cores` limits the processes
 * where no setting does.
 */
export function lower(merged: Merged, config: Config, cores: number): Lowered {
  const problems: Problem[] = [];
  const types = lowerTypes(merged, config.protected, problems);
  const protocol: Protocol = {
    name: merged.name ?? 'mailroom',
    version: merged.version ?? '1',
    workspace: lowerWorkspace(merged.workspace ?? '.', problems),
    roles: lowerRoles(merged, config, types, problems),
    types,
    limits: lowerLimits(limitSettings(merged.limits), config.limits),
    start: merged.start,
    concurrency: config.concurrency ?? cores,
  };
  return { protocol, problems };
}

function lowerWorkspace(
  workspace: NonNullable<Merged['workspace']>,
  problems: Problem[],
): Protocol['workspace'] {
  if (typeof workspace !== 'string')
    return {
      kind: 'worktree',
      per: workspace.worktree,
      base: workspace.base ?? null,
      onConflict: workspace.on_conflict ?? 'resolve',
    };
  if (workspace === 'worktree') return { kind: 'worktree', per: 'thread' };
  if (!isInside(workspace)) {
    const message = `the workspace \`${workspace}\` would leave the project`;
    const hint = 'give `.`, `worktree`, or a folder relative to the project, without `..`';
    problems.push({ code: 'E_PATH', severity: 'error', path: ['workspace'], message, hint });
  }
  return { kind: 'folder', path: tidyPath(workspace) };
}
