import type { Template } from '../../expressions/template.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';

/** The workspace, relative to the base folder. */
export const workspace = 'workspace';

/**
 * Reports a path that is absolute or would leave the base; substituted parts are checked at run
 * time.
 */
export function checkPath(diagnostics: Diagnostics, path: Path, template: Template): void {
  const text = template.map((part) => (part.kind === 'text' ? part.text : 'x')).join('');
  if (text.startsWith('/')) {
    const hint = 'paths are relative to workspace/';
    return diagnostics.error('E_PATH', path, `\`${text}\` is absolute`, hint);
  }
  // A substituted part may lead downwards to any depth.
  if (template.some((part) => part.kind === 'expression')) return;
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  let depth = names[0] === workspace ? 0 : 1;
  for (const name of names) {
    depth += name === '..' ? -1 : 1;
    if (depth >= 0) continue;
    return diagnostics.error(
      'E_PATH',
      path,
      `\`${text}\` would leave the project`,
      'stay below the folder above workspace/',
    );
  }
}
