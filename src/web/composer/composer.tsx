import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { oneLine } from '../../kernel/one-line.ts';
import { Problem } from '../api/client.ts';
import { ActButton } from '../parts/form.tsx';
import { Trouble, View } from '../parts/panel.tsx';
import { State, visible } from '../parts/text.tsx';
import { link } from '../state/route.ts';
import { AddStep } from './add-step.tsx';
import { Artifacts } from './artifacts.tsx';
import { Canvas } from './canvas.tsx';
import { Conflict } from './conflict.tsx';
import { Inspector } from './inspector.tsx';
import { Composer } from './model.ts';
import { StepTable } from './step-table.tsx';
import { TextPane } from './text-pane.tsx';

/** A workflow as text and as a graph, side by side; each changes the other. */
export function ComposerView({ id }: { readonly id: string }) {
  const composer = useMemo(() => new Composer(id), [id]);
  const problem = useSignal<Problem | null>(null);
  useEffect(() => {
    composer.open().catch((error: unknown) => {
      problem.value = error instanceof Problem ? error : new Problem('E_INTERNAL', 0, String(error));
    });
    const look = () => {
      if (!document.hidden) void composer.look().catch(() => undefined);
    };
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      composer.close();
    };
  }, [composer]);
  return (
    <View title={`Edit ${oneLine(id, 60)}`} actions={<Actions composer={composer} />}>
      {problem.value !== null && <Trouble problem={problem.value} />}
      <Conflict composer={composer} />
      {composer.saved.value === null && problem.value === null && <p class="empty loading">Loading …</p>}
      {composer.saved.value !== null && <Panes composer={composer} />}
    </View>
  );
}

function Panes({ composer }: { readonly composer: Composer }) {
  return (
    <>
      {composer.isFrozen.value && (
        <p class="deadlock" role="status">
          The text has a syntax error: the graph shows what it was before.
        </p>
      )}
      <div class="composer">
        <Canvas composer={composer} />
        <TextPane composer={composer} />
        <div class="aside">
          <Inspector composer={composer} />
        </div>
      </div>
      <AddStep composer={composer} />
      <Problems composer={composer} />
      <StepTable composer={composer} />
      <Artifacts composer={composer} />
    </>
  );
}

function Actions({ composer }: { readonly composer: Composer }) {
  const { undo, redo } = composer.history.value;
  const errors = composer.draft.value?.problems.filter(({ severity }) => severity === 'error').length ?? 0;
  return (
    <>
      <span class="dim" role="status">
        {composer.isDirty.value ? 'Not saved' : 'Saved'}
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
      <a class="button" href={link('workflows', composer.id)}>
        Plan and run
      </a>
    </>
  );
}

function Problems({ composer }: { readonly composer: Composer }) {
  const problems = composer.draft.value?.problems ?? [];
  if (problems.length === 0) return null;
  return (
    <ul class="problems" aria-label="Problems">
      {problems.map(({ code, severity, message, line, hint, step }, index) => (
        <li key={index}>
          <State value={severity} /> <code>{code}</code>{' '}
          {line !== null && (
            <button type="button" class="quiet" onClick={() => composer.reveal(line, step)}>
              {`line ${String(line)}`}
            </button>
          )}{' '}
          {visible(message)} {hint !== null && <span class="dim">{visible(hint)}</span>}
        </li>
      ))}
    </ul>
  );
}
