import { useSignal, type Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { oneLine } from '../../../kernel/one-line.ts';
import { Problem } from '../../../web/api/client.ts';
import { ActButton, onSubmit } from '../../../web/parts/form.tsx';
import { Trouble, View } from '../../../web/parts/panel.tsx';
import { State, visible } from '../../../web/parts/text.tsx';
import { edition } from '../../../web/state/live.ts';
import { StartRun } from '../../../web/views/start-run.tsx';
import { arrange, arrangeDrawer, arrangement } from './arrangement.ts';
import { Artifacts } from './artifacts.tsx';
import { Canvas } from './canvas.tsx';
import { listenToClipboard } from './clipboard.ts';
import { Conflict } from './conflict.tsx';
import { Drawer, DrawerButton, useOneDrawer } from './drawer.tsx';
import { Inspector } from './inspector.tsx';
import { Composer } from './model.ts';
import { PromptContext } from './prompt-context.tsx';
import { StepTable } from './step-table.tsx';
import { TextPane } from './text-pane.tsx';
import type { Draft } from '../documents.ts';

interface ComposerProps {
  readonly id: string;
  readonly opening: Promise<Draft>;
  /** The edition of the project when the opening was asked for. */
  readonly asked: number;
}

/**
 * A workflow as a graph, with its text and the form of a step in drawers; each changes the others.
 */
export function ComposerView({ id, opening, asked }: ComposerProps) {
  const composer = useMemo(() => new Composer(id), [id]);
  const problem = useSignal<Problem | null>(null);
  const isPlanned = useSignal(false);
  useEffect(() => {
    composer.open(opening).catch((error: unknown) => {
      problem.value = error instanceof Problem ? error : new Problem('E_INTERNAL', 0, String(error));
    });
    const forget = listenToClipboard(composer);
    return () => {
      forget();
      composer.close();
    };
  }, [composer]);
  const { value: newest } = edition;
  useEffect(() => {
    // What cannot be read now is read at the next change.
    if (newest !== asked) opening.then(() => composer.refresh()).catch(() => undefined);
  }, [composer, newest]);
  return (
    <View title={`Edit ${oneLine(id, 60)}`} actions={<Actions composer={composer} isPlanned={isPlanned} />}>
      {problem.value !== null && <Trouble problem={problem.value} />}
      <Conflict composer={composer} />
      {isPlanned.value && <PlanAndRun composer={composer} />}
      {composer.saved.value === null && problem.value === null && <p class="empty loading">Loading …</p>}
      {composer.saved.value !== null && <Panes composer={composer} />}
    </View>
  );
}

function Panes({ composer }: { readonly composer: Composer }) {
  useOneDrawer(composer);
  return (
    <>
      {composer.isFrozen.value && (
        <p class="deadlock" role="status">
          {composer.graph.value === null
            ? 'The text has a syntax error: there is no graph until it is corrected.'
            : 'The text has a syntax error: the graph shows what it was before.'}
        </p>
      )}
      <div class="row composer-bar">
        <AddStep composer={composer} />
        <div class="row composer-parts">
          <DrawerButton side="text" composer={composer} />
          <DrawerButton side="form" composer={composer} />
          <NavigationButton />
        </div>
      </div>
      <Said composer={composer} />
      <div class="composer" onKeyDown={(event) => event.key === 'Escape' && leave(composer)}>
        <Drawer side="text" composer={composer}>
          <TextPane composer={composer} />
        </Drawer>
        <Canvas composer={composer} />
        <Drawer side="form" composer={composer}>
          <Inspector composer={composer} />
        </Drawer>
      </div>
      <Problems composer={composer} />
      <AfterDrawing>
        <StepTable composer={composer} />
        <PromptContext composer={composer} />
        <Artifacts composer={composer} />
      </AfterDrawing>
    </>
  );
}

/** Chooses nothing; the focus goes from the form to its step. */
function leave(composer: Composer): void {
  const [first = null] = composer.selected.value;
  composer.selected.value = [];
  composer.wanted.value = first;
}

/** Why the last act was refused, or what it left to do, until the next one. */
function Said({ composer }: { readonly composer: Composer }) {
  const { said } = composer;
  return (
    <div class="row said" role="status" hidden={said.value === null}>
      <p class="grow">{said.value !== null && visible(said.value)}</p>
      <button type="button" class="quiet" aria-label="Dismiss" onClick={() => (said.value = null)}>
        ×
      </button>
    </div>
  );
}

/** Shows the views of the page beside the composer, which has all the width otherwise. */
function NavigationButton() {
  const { hasNavigation } = arrangement.value;
  useEffect(() => {
    document.documentElement.classList.toggle('folded', !hasNavigation);
    return () => document.documentElement.classList.remove('folded');
  }, [hasNavigation]);
  return (
    <button
      type="button"
      class="for-navigation"
      aria-expanded={hasNavigation}
      onClick={() => arrange({ hasNavigation: !hasNavigation })}
    >
      Navigation
    </button>
  );
}

/** What lies below the graph; it is made once the graph has been drawn. */
function AfterDrawing({ children }: { readonly children: ComponentChildren }) {
  const isDrawn = useSignal(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    // The first task after a frame begins once the frame has been drawn.
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => (isDrawn.value = true));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return isDrawn.value ? <div class="below">{children}</div> : null;
}

/** The price and the start of a run, without leaving the composer. */
function PlanAndRun({ composer }: { readonly composer: Composer }) {
  const draft = composer.draft.value;
  if (draft === null) return null;
  return (
    <section aria-label="Plan and run">
      {draft.ok ? (
        <StartRun
          id={draft.file}
          parameters={draft.parameters}
          edited={{
            text: composer.text.value,
            isDirty: composer.isDirty.value,
            save: () => composer.save(),
          }}
        />
      ) : (
        <p class="panel">It cannot run: correct its errors first.</p>
      )}
    </section>
  );
}

function Actions({
  composer,
  isPlanned,
}: {
  readonly composer: Composer;
  readonly isPlanned: Signal<boolean>;
}) {
  const { undo, redo } = composer.history.value;
  const errors = composer.draft.value?.problems.filter(({ severity }) => severity === 'error').length ?? 0;
  return (
    <>
      <span class="dim" role="status">
        {composer.busy.value ? 'Working …' : composer.isDirty.value ? 'Not saved' : 'Saved'}
        {errors > 0 && ` · ${String(errors)} ${errors === 1 ? 'error' : 'errors'}`}
      </span>
      <button type="button" aria-disabled={undo === 0} onClick={() => composer.editor?.undo()}>
        Undo
      </button>
      <button type="button" aria-disabled={redo === 0} onClick={() => composer.editor?.redo()}>
        Redo
      </button>
      <ActButton kind="primary" act={() => composer.save()}>
        Save
      </ActButton>
      <button
        type="button"
        aria-expanded={isPlanned.value}
        onClick={() => (isPlanned.value = !isPlanned.value)}
      >
        Plan and run
      </button>
    </>
  );
}

function Problems({ composer }: { readonly composer: Composer }) {
  const problems = composer.draft.value?.problems ?? [];
  if (problems.length === 0) return null;
  const reveal = (line: number, step: string | null) => {
    arrangeDrawer('text', { shown: 'open' });
    composer.reveal(line, step);
  };
  return (
    <ul class="problems" aria-label="Problems">
      {problems.map(({ code, severity, message, line, hint, step }, index) => (
        <li key={index}>
          <State value={severity} /> <code>{code}</code>{' '}
          {line !== null && (
            <button type="button" class="quiet" onClick={() => reveal(line, step)}>
              {`line ${String(line)}`}
            </button>
          )}{' '}
          {visible(message)} {hint !== null && <span class="dim">{oneLine(hint, 240)}</span>}
        </li>
      ))}
    </ul>
  );
}

/** A new step of a kind, alone or behind the chosen one. */
function AddStep({ composer }: { readonly composer: Composer }) {
  const kinds = composer.forms.value?.kinds.filter(({ canAdd }) => canAdd) ?? [];
  const kind = useSignal('');
  const name = useSignal('');
  if (composer.graph.value?.editable !== true) return null;
  const [chosen, ...more] = composer.selected.value;
  // The kinds come later: the row is there before, and moves nothing below it.
  const first = (kinds.find((each) => each.name === 'agent') ?? kinds[0])?.name ?? '';
  const add = async (needs: readonly string[]) => {
    const id = name.value.trim();
    const act = { do: 'add', kind: kind.value === '' ? first : kind.value, needs } as const;
    if (await composer.act(id === '' ? act : { ...act, id })) name.value = '';
  };
  return (
    <form class="row" aria-label="Add a step" {...onSubmit(() => void add([]))}>
      <label for="add-kind">New step</label>
      <select
        id="add-kind"
        class="short"
        value={kind.value === '' ? first : kind.value}
        onChange={(event) => (kind.value = event.currentTarget.value)}
      >
        {kinds.map((each) => (
          <option key={each.name} value={each.name}>
            {each.name.replaceAll('_', ' ')}
          </option>
        ))}
      </select>
      <label for="add-name">called</label>
      <input
        id="add-name"
        class="short"
        placeholder="a name is proposed"
        autocomplete="off"
        value={name.value}
        onInput={(event) => (name.value = event.currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={first === ''}>
        Add the step
      </button>
      {chosen !== undefined && more.length === 0 && (
        <button type="button" onClick={() => void add([chosen])}>
          Add it after {oneLine(chosen, 30)}
        </button>
      )}
    </form>
  );
}
