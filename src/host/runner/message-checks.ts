import { join } from 'node:path';
import picomatch from 'picomatch';
import { changedPaths, workspaceTree } from '../../git/workspace-tree.ts';
import { outputExcerpt } from '../../kernel/output-excerpt.ts';
import type { ProcessResult } from '../../process/types.ts';
import type { MessageCheck } from '../../kernel/message-check.ts';

/** The result of a gate's program, and the files with its whole output; absolute. */
export interface RanCheck {
  readonly result: ProcessResult;
  readonly stdoutFile: string;
  readonly stderrFile: string;
}

/** What the gates of a role with a checkout of its own run on. */
export interface Work {
  /** The commit that the messages carry. */
  readonly commit: string;
  /** Lays it out; returns why that is not possible, in words. */
  layOut(on: 'own' | 'merged'): Promise<string | null>;
}

/** Runs one gate's program. */
type RunCheck = (argv: readonly string[], timeout: number, name: string) => Promise<RanCheck>;

/**
 * Checks the gates of a turn's messages, one after the other; returns the problems, in words for
 * the author. `work`: null if they run on the workspace as it is.
 */
export async function runMessageChecks(
  checks: readonly { readonly check: MessageCheck; readonly message: string }[],
  workspace: string,
  tree: string | null,
  work: Work | null,
  run: RunCheck,
): Promise<string[]> {
  const problems: string[] = [];
  for (const [index, { check, message }] of checks.entries()) {
    const problem =
      check.kind === 'changed'
        ? await checkChanged(check.globs, workspace, tree, work)
        : ((await work?.layOut(check.on)) ??
          checkRun(check.argv, await run(check.argv, check.timeout, String(index + 1))));
    if (problem !== null) problems.push(`\`${message}\` cannot be sent yet: ${problem}`);
  }
  return problems;
}

function checkRun(argv: readonly string[], { result, stdoutFile, stderrFile }: RanCheck): string | null {
  if (result.reason === 'exited' && result.exitCode === 0) return null;
  const how =
    result.reason === 'exited' ? `exit code ${String(result.exitCode)}` : (result.error ?? result.reason);
  const failed = `\`${argv.join(' ')}\` must succeed, but ended with ${how}`;
  const excerpt = outputExcerpt(`${result.stdout}\n${result.stderr}`);
  if (excerpt.length === 0) return failed;
  const files = [
    ...(result.stdout.trim() === '' ? [] : [stdoutFile]),
    ...(result.stderr.trim() === '' ? [] : [stderrFile]),
  ];
  return `${failed}; its whole output is in ${files.join(' and ')}:\n${excerpt.join('\n')}`;
}

async function checkChanged(
  globs: readonly string[],
  workspace: string,
  tree: string | null,
  work: Work | null,
): Promise<string | null> {
  const now = work?.commit ?? (await workspaceTree(workspace));
  const paths = tree === null || now === null ? null : await changedPaths(workspace, tree, now);
  if (paths === null) return `git cannot list the changes in ${join(workspace, '.')}`;
  const matches = picomatch([...globs], { dot: true, flags: 's' });
  return paths.some((path) => matches(path)) ? null : `something in ${globs.join(', ')} must have changed`;
}
