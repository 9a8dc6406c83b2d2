import { join } from 'node:path';
import picomatch from 'picomatch';
import { changedPaths, workspaceTree } from '../../git/workspace-tree.ts';
import type { ProcessResult } from '../../process/types.ts';
import type { MessageCheck } from '../../kernel/message-check.ts';

/** Runs one gate's program. */
export type RunCheck = (argv: readonly string[], timeout: number, name: string) => Promise<ProcessResult>;

/**
 * Checks the gates of a turn's messages, one after the other; returns the problems, in words for
 * the author.
 */
export async function runMessageChecks(
  gates: readonly { readonly gate: MessageCheck; readonly message: string }[],
  workspace: string,
  tree: string | null,
  run: RunCheck,
): Promise<string[]> {
  const problems: string[] = [];
  for (const [index, { gate, message }] of gates.entries()) {
    const problem =
      gate.kind === 'changed'
        ? await checkChanged(gate.globs, workspace, tree)
        : checkRun(gate.argv, await run(gate.argv, gate.timeout, `gate-${String(index + 1)}`));
    if (problem !== null) problems.push(`\`${message}\` cannot be sent yet: ${problem}`);
  }
  return problems;
}

function checkRun(argv: readonly string[], result: ProcessResult): string | null {
  if (result.reason === 'exited' && result.exitCode === 0) return null;
  const how =
    result.reason === 'exited' ? `exit code ${String(result.exitCode)}` : (result.error ?? result.reason);
  const tail = `${result.stdoutTail}\n${result.stderrTail}`.trim().split('\n').slice(-20).join('\n');
  return `\`${argv.join(' ')}\` must succeed, but ended with ${how}${tail === '' ? '' : `:\n${tail}`}`;
}

async function checkChanged(
  globs: readonly string[],
  workspace: string,
  tree: string | null,
): Promise<string | null> {
  const now = await workspaceTree(workspace);
  const paths = tree === null || now === null ? null : await changedPaths(workspace, tree, now);
  if (paths === null) return `git cannot list the changes in ${join(workspace, '.')}`;
  const matches = picomatch([...globs], { dot: true, flags: 's' });
  return paths.some((path) => matches(path)) ? null : `something in ${globs.join(', ')} must have changed`;
}
