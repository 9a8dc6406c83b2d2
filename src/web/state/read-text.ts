import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Problem, readText } from '../api/client.ts';

export interface ReadText {
  /** Null: it has not arrived yet. */
  readonly text: Signal<string | null>;
  readonly problem: Signal<Problem | null>;
}

/** A text of the API. A path of null has no text. */
export function useText(path: string | null): ReadText {
  const text = useSignal<string | null>(null);
  const problem = useSignal<Problem | null>(null);
  useEffect(() => {
    let isCurrent = path !== null;
    const load = async (from: string): Promise<void> => {
      try {
        const found = await readText(from);
        if (isCurrent) [text.value, problem.value] = [found, null];
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (isCurrent) problem.value = error;
      }
    };
    if (path !== null) void load(path);
    return () => {
      isCurrent = false;
    };
  }, [path]);
  return { text, problem };
}
