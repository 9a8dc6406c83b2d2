import { oneLine } from '../../kernel/one-line.ts';
import type { Draft } from '../../operations/composer.ts';
import { Table } from '../parts/panel.tsx';
import type { Composer } from './model.ts';

/** Every step with all that the canvas does to it, for the keyboard and for screen readers. */
export function StepTable({ composer }: { readonly composer: Composer }) {
  const draft = composer.graph.value;
  if (draft === null || draft.steps.length === 0) return null;
  const chosen = new Set(composer.selected.value);
  return (
    <Table
      caption="Steps of the workflow"
      names={['Step', 'Kind', 'Waits for', 'Only if', '#Problems', 'Change']}
    >
      <tbody>
        {draft.steps.map((step) => (
          <Row key={step.id} step={step} draft={draft} composer={composer} isChosen={chosen.has(step.id)} />
        ))}
      </tbody>
    </Table>
  );
}

function Row({
  step,
  draft,
  composer,
  isChosen,
}: {
  readonly step: Draft['steps'][number];
  readonly draft: Draft;
  readonly composer: Composer;
  readonly isChosen: boolean;
}) {
  const { id, kind, condition } = step;
  const needs = draft.edges.filter(({ to }) => to === id);
  const problems = draft.problems.filter((each) => each.step === id).length;
  return (
    <tr class={isChosen ? 'chosen' : undefined}>
      <th scope="row">
        <button
          type="button"
          class="quiet"
          data-row
          aria-pressed={isChosen}
          onClick={() => composer.edit(id)}
        >
          {oneLine(id, 60)}
        </button>
      </th>
      <td>{kind.replaceAll('_', ' ')}</td>
      <td>{oneLine(needs.map(({ from }) => from).join(', '), 120)}</td>
      <td>{condition !== null && <code>{oneLine(condition, 80)}</code>}</td>
      <td class="number">{problems > 0 && problems}</td>
      <td>
        {draft.editable && (
          <div class="row">
            <button
              type="button"
              class="quiet"
              aria-label={`Duplicate ${oneLine(id, 60)}`}
              onClick={() => void composer.act({ do: 'duplicate', steps: [id] })}
            >
              Duplicate
            </button>
            <button
              type="button"
              class="quiet"
              aria-label={`Delete ${oneLine(id, 60)}`}
              onClick={() => void composer.act({ do: 'remove', steps: [id] })}
            >
              Delete
            </button>
          </div>
        )}
      </td>
    </tr>
  );
}
