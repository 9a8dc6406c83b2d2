import { nearest } from '../../kernel/nearest.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Diagnostics } from '../shared/diagnostics.ts';
import type { StageInput } from './schema.ts';

type Kind = NonNullable<StageInput['type']>;

const everywhere = ['id', 'name', 'description', 'depends_on', 'condition', 'type', 'ui'];
const work = ['roles', 'inputs', 'outputs', 'context', 'error_policy', 'handoff'];

/** The allowed keys of each type of stage. */
export const keysOfKinds: Readonly<Record<Kind, readonly string[]>> = {
  agent: [...everywhere, ...work],
  gate: [...everywhere, 'gate'],
  fan_out: [...everywhere, 'fan_out', 'error_policy', 'handoff'],
};

/** The key that defines the work of a stage of each type. */
const wanted: Readonly<Record<Kind, 'roles' | 'gate' | 'fan_out'>> = {
  agent: 'roles',
  gate: 'gate',
  fan_out: 'fan_out',
};

/** Whether a stage has the keys of its type; reports errors. */
export function checkKeys(diagnostics: Diagnostics, input: StageInput, path: Path): boolean {
  const type = input.type ?? 'agent';
  const keys = keysOfKinds[type];
  for (const key of Object.keys(input)) {
    if (type === 'gate' && key === 'error_policy') warnPolicy(diagnostics, input, [...path, key]);
    else if (!keys.includes(key)) unfit(diagnostics, type, [...path, key]);
  }
  const key = wanted[type];
  if (input[key] === undefined) {
    const other = (['gate', 'fan_out'] as const).find((each) => input[each] !== undefined);
    const hint =
      other === undefined
        ? `a stage of the type ${type} has \`${key}\``
        : `for what is under \`${other}\` it needs \`type: ${other}\``;
    diagnostics.error('E_MISSING_KEY', path, `nothing says what \`${input.id}\` does`, hint, 'key');
    return false;
  }
  if (type !== 'fan_out' || input.fan_out?.stage_template.roles !== undefined) return true;
  const at = [...path, 'fan_out', 'stage_template'];
  const hint = 'a stage template has `roles`, as a stage of the type agent has';
  diagnostics.error('E_MISSING_KEY', at, `nothing says who does \`${input.id}\``, hint, 'key');
  return false;
}

/** Of an error policy a gate takes the time to wait, where it has none of its own. */
function warnPolicy(diagnostics: Diagnostics, { error_policy: policy }: StageInput, path: Path): void {
  const hint = '`gate.timeout` says how long it waits, `gate.on_timeout` what happens then';
  for (const key of Object.keys(policy ?? {}).filter((each) => each !== 'timeout'))
    diagnostics.warn([...path, key], `\`${key}\` does nothing in a stage of the type gate`, hint);
}

function unfit(diagnostics: Diagnostics, type: Kind, path: Path): void {
  const key = String(path.at(-1));
  const near = nearest(key, keysOfKinds[type]);
  const own = key === wanted.gate || key === wanted.fan_out ? `it belongs to \`type: ${key}\`` : null;
  const hint =
    own ?? (near === null ? `there it has ${keysOfKinds[type].join(', ')}` : `did you mean \`${near}\`?`);
  const what = `a stage of the type ${type}`;
  diagnostics.error('E_UNKNOWN_KEY', path, `\`${key}\` does nothing in ${what}`, hint, 'key');
}
