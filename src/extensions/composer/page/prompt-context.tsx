import { valueAt, type Json, type Path } from '../../../kernel/json.ts';
import { oneLine } from '../../../kernel/one-line.ts';
import { Panel, Table } from '../../../web/parts/panel.tsx';
import { State, visible } from '../../../web/parts/text.tsx';
import type { Composer } from './model.ts';
import type { Draft } from '../documents.ts';

type Context = Draft['promptContexts'][number];
type Memories = NonNullable<Context['memory']>;

/** Which modules and memories the prompts of the chosen step have; of no step, those of all. */
export function PromptContext({ composer }: { readonly composer: Composer }) {
  const { graph, selected } = composer;
  const draft = graph.value;
  const [name = null, ...more] = selected.value;
  const context = draft?.promptContexts.find(({ step }) => step === name);
  if (draft == null || context === undefined || more.length > 0) return null;
  const step = draft.steps.find(({ id }) => id === name);
  const own = step?.kind === 'fan_out' ? ['fan_out', 'stage_template'] : [];
  const path =
    name === null ? ['context', 'global_modules'] : [...(step?.path ?? []), ...own, 'context', 'modules'];
  return (
    <Panel title={name === null ? 'Context of every prompt' : `Context of ${oneLine(name, 60)}`}>
      <h3>Modules</h3>
      <Modules context={context} path={path} definition={draft.definition} composer={composer} />
      <h3>Memories</h3>
      {context.memory === null ? (
        <p class="empty">No memories are selected.</p>
      ) : (
        <Memory memory={context.memory} />
      )}
    </Panel>
  );
}

interface ModulesProps {
  readonly context: Context;
  /** Of the list that is changed here. */
  readonly path: Path;
  readonly definition: Draft['definition'];
  readonly composer: Composer;
}

/** In the order of the prompt: those of the workflow come first, and each is there once. */
function Modules({ context: { step, modules }, path, definition, composer }: ModulesProps) {
  const value = valueAt(definition, path);
  const written = Array.isArray(value) ? value : [];
  const known = composer.artifacts.value.filter(({ kind }) => kind === 'ctx');
  const others = known.filter(({ ref }) => !modules.some(({ name }) => name === ref));
  return (
    <>
      {modules.length === 0 && <p class="empty">No modules.</p>}
      <ol class="bound">
        {modules.map((each) => (
          <Module
            key={each.name}
            module={each}
            isOfStep={step !== null}
            path={path}
            written={written}
            composer={composer}
          />
        ))}
      </ol>
      {others.length > 0 && (
        <select
          class="short"
          aria-label="Add a module"
          value=""
          onChange={(event) => {
            const artifact = event.currentTarget.value;
            event.currentTarget.value = '';
            if (artifact !== '') void composer.act({ do: 'use', artifact, step });
          }}
        >
          <option value="">Add a module …</option>
          {others.map(({ ref }) => (
            <option key={ref} value={ref}>
              {oneLine(ref, 60)}
            </option>
          ))}
        </select>
      )}
    </>
  );
}

interface ModuleProps {
  readonly module: Context['modules'][number];
  readonly isOfStep: boolean;
  /** Of the list that is changed here, and its items. */
  readonly path: Path;
  readonly written: readonly Json[];
  readonly composer: Composer;
}

function Module({ module: { name, file, from }, isOfStep, path, written, composer }: ModuleProps) {
  const at = written.indexOf(name);
  const shown = oneLine(name, 60);
  const swap = (index: number) => void composer.act({ do: 'swap', path: [...path, index] });
  const own = written.length === 1 ? path : [...path, at];
  return (
    <li class="row">
      <code>{shown}</code>
      {file === null && <State value="missing" />}
      <span class="dim grow">
        {isOfStep && from === 'workflow' && 'of every prompt'}
        {isOfStep && from === 'both' && 'of every prompt, and named here again'}
      </span>
      {at !== -1 && (
        <span class="row">
          {at > 0 && (
            <button type="button" class="quiet" aria-label={`Up: ${shown}`} onClick={() => swap(at)}>
              Up
            </button>
          )}
          {at < written.length - 1 && (
            <button type="button" class="quiet" aria-label={`Down: ${shown}`} onClick={() => swap(at + 1)}>
              Down
            </button>
          )}
          <button
            type="button"
            class="quiet"
            aria-label={`Remove: ${shown}`}
            onClick={() => void composer.act({ do: 'unset', path: own })}
          >
            Remove
          </button>
        </span>
      )}
    </li>
  );
}

/** What a query finds now: what prompts have, and what has no room. */
function Memory({ memory }: { readonly memory: Memories }) {
  const { scope, minConfidence, categories, maxTokens, packed, noRoom } = memory;
  const used = packed.reduce((sum, { tokens }) => sum + tokens, 0);
  const rows = [
    ...packed.map((each) => ({ ...each, state: 'packed' })),
    ...noRoom.map((each) => ({ ...each, state: 'no_room' })),
  ];
  return (
    <>
      <p>
        {`Scope ${oneLine(scope, 60)}, confidence at least ${String(minConfidence)}, `}
        {categories === null ? 'any category' : `of ${oneLine(categories.join(', '), 200)}`}
        {`: about ${String(used)} of ${String(maxTokens)} tokens.`}
      </p>
      {rows.length === 0 ? (
        <p class="empty">No memory matches.</p>
      ) : (
        <Table caption="Memories" names={['Memory', 'Category', '#Confidence', '#Tokens', 'Now']}>
          <tbody>
            {rows.map(({ file, category, confidence, tokens, state }) => (
              <tr key={file}>
                <th scope="row">
                  <code>{visible(file)}</code>
                </th>
                <td>{category !== null && oneLine(category, 60)}</td>
                <td class="number">{confidence}</td>
                <td class="number">{tokens}</td>
                <td>
                  <State value={state} />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </>
  );
}
