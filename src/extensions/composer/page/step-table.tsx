import { oneLine } from '../../../kernel/one-line.ts';
import { useSignal } from '@preact/signals';
import { Table } from '../../../web/parts/panel.tsx';
import type { Composer } from './model.ts';
import { problemsByStep } from './placing.ts';
import type { Draft } from '../documents.ts';

/** How many rows are shown at once. */
const most = 100;

/** Every step with all that the canvas does to it, for the keyboard and for screen readers. */
export function StepTable({ composer }: { readonly composer: Composer }) {
  const draft = composer.graph.value;
  const limit = useSignal(most);
  const find = useSignal('');
  if (draft === null || draft.steps.length === 0) return null;
  const found = draft.steps.filter(({ id }) => id.includes(find.value.trim()));
  const more = found.length - limit.value;
  const chosen = new Set(composer.selected.value);
  const [needs, problems] = [needsOf(draft), problemsByStep(draft)];
  return (
    <div>
      {draft.steps.length > most && (
        <div class="field">
          <label for="find-step">Find a step</label>
          <input
            id="find-step"
            class="short"
            type="search"
            value={find.value}
            onInput={(event) => (find.value = event.currentTarget.value)}
          />
        </div>
      )}
      <Table
        caption="Steps of the workflow"
        names={['Step', 'Kind', 'Waits for', 'Only if', '#Problems', 'Change']}
        after={
          more > 0 && (
            <button type="button" class="quiet" onClick={() => (limit.value += most)}>
              {`Show ${String(Math.min(more, most))} more of ${found.length.toLocaleString('en')}`}
            </button>
          )
        }
      >
        <tbody>
          {found.slice(0, limit.value).map((step) => (
            <Row
              key={step.id}
              step={step}
              needs={needs.get(step.id) ?? []}
              problems={problems.get(step.id) ?? 0}
              composer={composer}
              isChosen={chosen.has(step.id)}
              editable={draft.editable}
            />
          ))}
        </tbody>
      </Table>
    </div>
  );
}

/** The names of the steps that each step waits for. */
function needsOf({ edges }: Draft): Map<string, string[]> {
  const needs = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const known = needs.get(to);
    if (known === undefined) needs.set(to, [from]);
    else known.push(from);
  }
  return needs;
}

interface RowProps {
  readonly step: Draft['steps'][number];
  readonly needs: readonly string[];
  readonly problems: number;
  readonly composer: Composer;
  readonly isChosen: boolean;
  readonly editable: boolean;
}

function Row({ step, needs, problems, composer, isChosen, editable }: RowProps) {
  const { id, kind, condition } = step;
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
      <td>{oneLine(needs.join(', '), 120)}</td>
      <td>{condition !== null && <code>{oneLine(condition, 80)}</code>}</td>
      <td class="number">{problems > 0 && problems}</td>
      <td>
        {editable && (
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
