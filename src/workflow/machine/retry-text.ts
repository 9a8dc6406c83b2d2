import { counted } from '../../kernel/enumerate.ts';
import { codeSpan, fenced } from '../../kernel/quoting.ts';
import type { Check } from '../model.ts';
import type { StepRun } from './state.ts';

/**
 * What earlier iterations left to do, for the worker; null: this is the first. Quotes from others
 * are fenced.
 */
export function leftToDo(run: StepRun, check: Check | null): string | null {
  const parts = [...incomplete(run, check), ...failed(run)];
  return parts.length === 0 ? null : parts.join('\n\n');
}

function incomplete({ iteration, outstanding, convergence }: StepRun, check: Check | null): string[] {
  if (iteration === 1 || outstanding === null) return [];
  const { reasons, fingerprints, log } = outstanding;
  const most = check === null ? '' : ` of at most ${String(check.maxIterations)}`;
  const lines = [`This is iteration ${String(iteration)}${most}. The last check found the work incomplete.`];
  if (reasons.length > 0 && log !== null)
    lines.push(`What it printed (all of it is in ${codeSpan(log)}):\n\n${fenced(reasons.join('\n'))}`);
  else if (reasons.length > 0) lines.push(`What it said:\n\n${list(reasons)}`);
  const settings = check?.convergence ?? null;
  if (settings === null || convergence.stage < 2) return lines;
  lines.push(
    `The work does not come nearer to complete: this is stage ${String(convergence.stage)} of ${String(settings.maxStage)}.`,
  );
  if (fingerprints.length > 0) lines.push(`Still outstanding:\n\n${list(fingerprints)}`);
  if (settings.allowedPaths.length > 0)
    lines.push(`Change nothing but these paths:\n\n${list(settings.allowedPaths)}`);
  if (settings.maxChangedFiles !== null)
    lines.push(`Change at most ${counted(settings.maxChangedFiles, 'file')} altogether.`);
  for (const { stage, instructions } of settings.stages)
    if (stage <= convergence.stage) lines.push(instructions.trim());
  return lines;
}

function failed({ failures, result }: StepRun): string[] {
  if (failures === 0 || result === null || result.outcome.is === 'done') return [];
  return [
    `The last attempt failed:\n\n${list([result.outcome.reason.text])}`,
    'What it changed is still there; look before you do it again.',
  ];
}

function list(lines: readonly string[]): string {
  return fenced(lines.map((line) => `- ${line.trim()}`).join('\n'));
}
