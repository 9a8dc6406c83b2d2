import type { ValueType } from '../../workflow/model.ts';
import { misfit } from '../../workflow/machine/values.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from './diagnostics.ts';

/** Reports values of `enum`, and a `default`, that do not fit their own type. */
export function checkOwnValues(diagnostics: Diagnostics, type: ValueType, path: Path): void {
  const any = { ...type, enum: null };
  for (const [index, value] of (type.enum ?? []).entries()) {
    const wrong = misfit(value, any);
    if (wrong !== null)
      diagnostics.error('E_VALUE', [...path, 'enum', index], `a value of \`enum\` ${wrong}`, null);
  }
  const wrong = type.default === undefined ? null : misfit(type.default, type);
  if (wrong !== null) diagnostics.error('E_VALUE', [...path, 'default'], `\`default\` ${wrong}`, null);
}
