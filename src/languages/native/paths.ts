import type { Template } from '../../expressions/template.ts';
import { ruleNames } from '../../kernel/rule-names.ts';
import { isInside, tidyPath } from '../../yaml/paths.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { StepInput } from './step-schema.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';

const hint = 'paths are relative to their folder, without `..`';

/** Reports a path that leaves its base folder. */
export function checkInside(
  diagnostics: Diagnostics,
  path: Path,
  text: string,
  folder = 'the workspace',
): void {
  if (!isInside(text)) diagnostics.error('E_PATH', path, `\`${text}\` would leave ${folder}`, hint);
}

/** Reports literal paths that no step may write or hand over. `isolated`: in a git worktree. */
export function checkGuarded(
  diagnostics: Diagnostics,
  { inputs = [], outputs = [], workspace }: StepInput,
  path: Path,
  isolated: boolean,
): void {
  const check = (at: Path, text = '.') => {
    const parts = tidyPath(text).split('/');
    const isRule = workspace === undefined && !isolated && ruleNames.includes(parts[0]!);
    if (isRule || parts.includes('.git'))
      diagnostics.error('E_PATH', [...path, ...at], `no step may write or hand over \`${text}\``, null);
  };
  for (const [index, { as }] of inputs.entries()) check(['inputs', index, 'as'], as);
  for (const [index, output] of outputs.entries()) check(['outputs', index, 'path'], output.path);
}

/** Like `checkInside` for a path with expressions: its literal parts must not lead outside. */
export function checkTemplateInside(
  diagnostics: Diagnostics,
  path: Path,
  template: Template,
  hint_ = hint,
): void {
  const text = template.map((part) => (part.kind === 'text' ? part.text : 'x')).join('');
  if (isInside(text)) return;
  const shown = template.map((part) => (part.kind === 'text' ? part.text : '${{ … }}')).join('');
  diagnostics.error('E_PATH', path, `\`${shown}\` would leave the workspace`, hint_);
}

/** Warns of a path that would be a pattern elsewhere. */
export function warnOfGlob(diagnostics: Diagnostics, path: Path, template: Template): void {
  const text = template.map((part) => (part.kind === 'text' ? part.text : 'x')).join('');
  const [pattern] = /[*?]+|\[[^\]/]+\]|\{[^}/]*,[^}/]*\}/.exec(text) ?? [];
  if (pattern === undefined) return;
  diagnostics.warn(
    path,
    `an output is one file or folder, and \`${pattern}\` is a part of its name, not a pattern`,
    'name the folder that holds the files, or let the step pack them into one file',
  );
}

/** Warns where the folder of an input is named like a file. */
export function warnOfFile(diagnostics: Diagnostics, path: Path, folder: string): void {
  const [ending] = /(?<=[^/])\.[A-Za-z][A-Za-z0-9]{0,7}$/.exec(folder) ?? [];
  if (ending === undefined) return;
  diagnostics.warn(
    path,
    `\`as\` is a folder, and \`${ending}\` ends the name of a file`,
    `the artifact is put into \`${folder}/\` under its own name: give the folder, and read the file in it`,
  );
}

/** Checks a workspace: only a literal path may lie outside the run's workspace. */
export function checkWorkspace(diagnostics: Diagnostics, path: Path, template: Template): boolean {
  const isLiteral = template.every((part) => part.kind === 'text');
  if (!isLiteral)
    checkTemplateInside(
      diagnostics,
      path,
      template,
      'only a workspace that is written literally may lie outside',
    );
  return isLiteral;
}
