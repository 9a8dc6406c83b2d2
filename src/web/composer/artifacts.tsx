import { useSignal } from '@preact/signals';
import { oneLine } from '../../kernel/one-line.ts';
import { Panel } from '../parts/panel.tsx';
import { State } from '../parts/text.tsx';
import type { Artifact } from '../../operations/artifacts.ts';
import type { Composer } from './model.ts';
import { dragged } from './node.tsx';

/** The most artifacts that are listed at once. */
const mostListed = 60;

/** What stages can be given: drag it on a stage, or give it to the chosen one. */
export function Artifacts({ composer }: { readonly composer: Composer }) {
  const find = useSignal('');
  const { value: forms } = composer.forms;
  if (forms === null || !forms.step.some(({ key }) => key === 'roles')) return null;
  const words = find.value.toLowerCase();
  const found = composer.artifacts.value.filter(
    ({ ref, description, kind }) =>
      kind !== 'memory' && `${ref} ${description ?? ''}`.toLowerCase().includes(words),
  );
  return (
    <Panel title="Agents, skills, MCP servers and modules">
      <input
        type="search"
        aria-label="Find an artifact"
        placeholder="Find …"
        value={find.value}
        onInput={(event) => (find.value = event.currentTarget.value)}
      />
      <ul class="artifacts">
        {found.slice(0, mostListed).map((each) => (
          <Item key={each.ref} artifact={each} composer={composer} />
        ))}
      </ul>
      {found.length === 0 && <p class="empty">Nothing found.</p>}
      {found.length > mostListed && (
        <p class="dim">{`${String(found.length - mostListed)} more: type a part of the name.`}</p>
      )}
    </Panel>
  );
}

function Item({ artifact, composer }: { readonly artifact: Artifact; readonly composer: Composer }) {
  const { ref, kind, description, ok, problem } = artifact;
  const [step, ...more] = composer.selected.value;
  const give = (to: string | null) => void composer.act({ do: 'use', artifact: ref, step: to });
  return (
    <li
      class="row"
      draggable
      onDragStart={(event) => {
        event.dataTransfer?.setData(dragged, ref);
      }}
    >
      <code>{oneLine(ref, 60)}</code>
      {!ok && <State value="missing" />}
      <span class="dim grow">{oneLine(problem ?? description ?? '', 120)}</span>
      {step !== undefined && more.length === 0 && (
        <button
          type="button"
          aria-label={`Give to ${oneLine(step, 20)}: ${oneLine(ref, 60)}`}
          onClick={() => give(step)}
        >
          {`Give to ${oneLine(step, 20)}`}
        </button>
      )}
      {kind === 'ctx' && step === undefined && (
        <button
          type="button"
          aria-label={`Give to all stages: ${oneLine(ref, 60)}`}
          onClick={() => give(null)}
        >
          Give to all
        </button>
      )}
    </li>
  );
}
