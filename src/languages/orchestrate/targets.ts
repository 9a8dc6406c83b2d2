import type { Next, Target } from '../../workflow/model.ts';
import type { Path } from '../../yaml/yaml.ts';
import type { Lowering } from './lowering.ts';
import type { StepInput, TransitionInput } from './schema.ts';
import { lowerText } from './variables.ts';

const fails: Target = { to: 'fail', message: null };

/** The next step of a sequence after a step. `first`: the first step of its body. */
export function lowerNext(input: StepInput, path: Path, first: string, lowering: Lowering): Next {
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
    return transition === undefined ? null : lowerTarget(transition, [...at, way], first, lowering);
  };
  return {
    success: target('success') ?? fails,
    failure: target('failure') ?? fails,
    timeout: target('timeout'),
  };
}

function lowerTarget(input: TransitionInput, path: Path, first: string, lowering: Lowering): Target {
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
  if (key === 'error') return { to: 'fail', message: lowerText(input.error ?? '', [...path, key], lowering) };
  return lowerGoto(input.goto ?? '', [...path, key], first, lowering);
}

function lowerGoto(name: string, path: Path, first: string, lowering: Lowering): Target {
  const { diagnostics, loop } = lowering;
  switch (name) {
    case '_start':
      return { to: 'step', step: first };
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
      return diagnostics.from(path, { to: 'step', step: name });
  }
}
