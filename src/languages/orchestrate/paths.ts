import type { Template } from '../../expressions/template.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';

/** The workspace, below the folder that everything stays in. */
export const workspace = 'workspace';

/** Reports a path that is absolute, or would lead out of the base; what is substituted is looked at when it is known. */
export function checkPath(diagnostics: Diagnostics, path: Path, template: Template): void {
  const text = template.map((part) => (part.kind === 'text' ? part.text : 'x')).join('');
  if (text.startsWith('/')) {
    const hint = 'paths are relative to workspace/';
    return diagnostics.error('E_PATH', path, `\`${text}\` is absolute`, hint);
  }
  // What is substituted may lead downwards as far as it likes.
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
