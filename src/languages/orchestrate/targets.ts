import { didYouMean } from '../../kernel/nearest.ts';
import type { Next, Target } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Lowering } from './lowering.ts';
import type { StepInput, TransitionInput } from './schema.ts';
import { lowerText } from './variables.ts';

/** Targets that are no steps. */
export const specialTargets = ['_start', '_end', '_error', '_loop_break', '_loop_continue'];

const fails: Target = { to: 'fail', message: null };

/** Where a sequence goes on after a step. `here`: the names of the steps of its body, the first one first. */
export function lowerNext(input: StepInput, path: Path, here: readonly string[], lowering: Lowering): Next {
  const { on = {} } = input;
  const at = [...path, 'on'];
  const needed = input.set_context === undefined ? (['success', 'failure'] as const) : (['success'] as const);
  for (const way of needed)
    if (on[way] === undefined)
      lowering.diagnostics.error(
        'E_MISSING_KEY',
        input.on === undefined ? path : at,
        `\`${input.name}\` does not say where to continue after ${way === 'success' ? 'success' : 'a failure'}`,
        `write \`on: { ${way}: { goto: … } }\`; \`_end\` and \`_error\` end the run`,
        'key',
      );
  const target = (way: 'success' | 'failure' | 'timeout'): Target | null => {
    const transition = on[way];
    return transition === undefined ? null : lowerTarget(transition, [...at, way], here, lowering);
  };
  return {
    success: target('success') ?? fails,
    failure: target('failure') ?? fails,
    timeout: target('timeout'),
  };
}

function lowerTarget(
  input: TransitionInput,
  path: Path,
  here: readonly string[],
  lowering: Lowering,
): Target {
  const [key, other] = Object.keys(input) as (keyof TransitionInput)[];
  if (key === undefined || other !== undefined) {
    const message = 'a transition is one of `goto`, `error` and `end`';
    lowering.diagnostics.error(
      key === undefined ? 'E_MISSING_KEY' : 'E_WORKFLOW',
      path,
      message,
      null,
      'key',
    );
    return fails;
  }
  if (key === 'end') return { to: 'finish' };
  if (key === 'error') {
    const over = { ...lowering, place: { ...lowering.place, isOver: true as const } };
    return { to: 'fail', message: lowerText(input.error ?? '', [...path, key], over) };
  }
  return lowerGoto(input.goto ?? '', [...path, key], here, lowering);
}

function lowerGoto(name: string, path: Path, here: readonly string[], lowering: Lowering): Target {
  const { diagnostics, steps, broken, loop } = lowering;
  switch (name) {
    case '_start':
      return { to: 'step', step: here[0] ?? '' };
    case '_end':
      return { to: 'finish' };
    case '_error':
      return fails;
    case '_loop_break':
    case '_loop_continue':
      if (loop === null)
        diagnostics.error('E_WORKFLOW', path, `\`${name}\` is there in the steps of a loop only`, null);
      return { to: name === '_loop_break' ? 'break' : 'continue' };
    default:
      break;
  }
  if (here.includes(name)) return { to: 'step', step: name };
  if (broken.has(name)) return fails;
  if (steps.has(name)) {
    const message = `\`${name}\` is not among the steps that \`${lowering.place.step}\` belongs to`;
    const hint =
      loop === null
        ? 'a loop is entered at its own step'
        : 'a loop is left by `_loop_break`; its own `on` says where to continue';
    diagnostics.error('E_WORKFLOW', path, message, hint);
  } else
    diagnostics.error(
      'E_UNKNOWN_NAME',
      path,
      `no step is called \`${name}\``,
      didYouMean(name, [...here, ...specialTargets]) ?? `there is ${specialTargets.join(', ')}`,
    );
  return fails;
}
