import type { Template } from '../../../core/expression/template.ts';
import { isInside } from '../../paths.ts';
import type { Path } from '../../yaml.ts';
import type { Scribe } from '../scribe.ts';

const hint = 'paths are relative to their folder, without `..`';

/** Reports a path that leaves the folder which it is relative to. */
export function checkInside(scribe: Scribe, path: Path, text: string, folder = 'the workspace'): void {
  if (!isInside(text)) scribe.error('E_PATH', path, `\`${text}\` would leave ${folder}`, hint);
}

/** The same of a path with expressions: whatever they are, the rest must not lead outside. */
export function checkTemplateInside(scribe: Scribe, path: Path, template: Template, hint_ = hint): void {
  const text = template.map((part) => (part.kind === 'text' ? part.text : 'x')).join('');
  if (isInside(text)) return;
  const shown = template.map((part) => (part.kind === 'text' ? part.text : '${{ … }}')).join('');
  scribe.error('E_PATH', path, `\`${shown}\` would leave the workspace`, hint_);
}

/** A workspace: only one that is written literally may lie outside the run's. */
export function checkWorkspace(scribe: Scribe, path: Path, template: Template): boolean {
  const isLiteral = template.every((part) => part.kind === 'text');
  if (!isLiteral)
    checkTemplateInside(scribe, path, template, 'only a workspace that is written literally may lie outside');
  return isLiteral;
}
