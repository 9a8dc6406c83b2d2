import { useSignal } from '@preact/signals';
import { oneLine } from '../../../kernel/one-line.ts';
import { send } from '../../../web/api/client.ts';
import { ActButton } from '../../../web/parts/form.tsx';
import { Panel } from '../../../web/parts/panel.tsx';
import { State } from '../../../web/parts/text.tsx';
import { notify } from '../../../web/state/toasts.ts';
import type { Artifact } from '../artifacts.ts';
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
  const { missing = [] } = composer.draft.value ?? {};
  const known = composer.artifacts.value;
  const unknown = missing.filter((reference) => !known.some(({ ref }) => ref === reference));
  const found = [...unknown.map(lacking), ...known].filter(
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
          <Item key={each.ref} artifact={each} isMissing={missing.includes(each.ref)} composer={composer} />
        ))}
      </ul>
      {found.length === 0 && <p class="empty">Nothing found.</p>}
      {found.length > mostListed && (
        <p class="dim">{`${String(found.length - mostListed)} more: type a part of the name.`}</p>
      )}
    </Panel>
  );
}

/** What only the text that is not saved names. */
function lacking(ref: string): Listed {
  const [kind = ''] = ref.split(':', 1);
  return { ref, kind, description: null, ok: false, problem: 'it does not exist' };
}

type Listed = Pick<Artifact, 'ref' | 'description' | 'ok' | 'problem'> & { readonly kind: string };

interface ItemProps {
  readonly artifact: Listed;
  /** The workflow refers to it, and it does not exist. */
  readonly isMissing: boolean;
  readonly composer: Composer;
}

function Item({ artifact, isMissing, composer }: ItemProps) {
  const { ref, kind, description, ok, problem } = artifact;
  const [step, ...more] = composer.selected.value;
  const write = async () => {
    const content = { text: composer.text.peek(), reference: ref };
    const { written } = await send<{ readonly written: readonly string[] }>(
      `${composer.path}/stubs`,
      content,
    );
    notify(`Wrote ${written.join(', ')}: say there what it is.`);
    await composer.refresh();
  };
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
      {isMissing && (
        <ActButton act={write}>
          Write a stub <span class="unseen">of {oneLine(ref, 60)}</span>
        </ActButton>
      )}
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
