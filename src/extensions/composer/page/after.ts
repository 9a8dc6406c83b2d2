import type { Act } from '../graph/documents.ts';
import type { Draft } from '../documents.ts';

interface After {
  readonly chosen: readonly string[];
  /** The step that gets the focus on the canvas; null: the focus stays. */
  readonly focused: string | null;
  /** The step whose text is shown; null: the place of the change. */
  readonly revealed: string | null;
}

/** What is chosen after an act, so that text, form and canvas show what it made. */
export function afterAct(act: Act, before: Draft | null, after: Draft, chosen: readonly string[]): After {
  switch (act.do) {
    case 'rename':
      return {
        chosen: chosen.map((each) => (each === act.step ? act.name : each)),
        focused: null,
        revealed: act.name,
      };
    case 'connect':
      return { chosen: [act.to], focused: act.to, revealed: act.to };
    case 'remove':
      return { chosen: [], focused: nextTo(act.steps, before, after), revealed: null };
    default: {
      const known = new Set(before?.steps.map(({ id }) => id));
      const made = after.steps.flatMap(({ id }) => (known.has(id) ? [] : id));
      const [first = null] = made;
      return { chosen: first === null ? chosen : made, focused: first, revealed: first };
    }
  }
}

/** The step that stands where removed ones stood: the next one in the file, else the last. */
function nextTo(removed: readonly string[], before: Draft | null, after: Draft): string | null {
  const at = before?.steps.findIndex(({ id }) => removed.includes(id)) ?? -1;
  return (after.steps[at] ?? after.steps.at(-1))?.id ?? null;
}
