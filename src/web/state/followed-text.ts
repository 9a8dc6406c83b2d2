import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Problem, readText } from '../api/client.ts';
import { now } from './now.ts';

/** Milliseconds between two readings of output that grows. */
const beat = 2_000;

export interface FollowedText {
  /** Null: it has not arrived yet. */
  readonly text: Signal<string | null>;
  readonly problem: Signal<Problem | null>;
}

/** A text of the API, read again and again while it grows. A path of null has no text. */
export function useText(path: string | null, grows: boolean): FollowedText {
  const text = useSignal<string | null>(null);
  const problem = useSignal<Problem | null>(null);
  const turn = grows ? Math.floor(now.value / beat) : 0;
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
  }, [path, turn]);
  return { text, problem };
}
