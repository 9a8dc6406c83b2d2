import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { Problem } from '../api/client.ts';
import { complain } from '../state/toasts.ts';

/**
 * Runs one action at a time. The same action sent again after a lost answer has the same name, so
 * that the server does it once.
 */
export function useAction() {
  const busy = useSignal(false);
  const name = useRef('');
  const run = async (act: (once: string) => Promise<void>): Promise<void> => {
    if (busy.value) return;
    busy.value = true;
    if (name.current === '') name.current = crypto.randomUUID();
    try {
      await act(name.current);
      name.current = '';
    } catch (error) {
      // The server has refused it, so the next try is another action.
      if (error instanceof Problem && error.status !== 0) name.current = '';
      complain(error);
    } finally {
      busy.value = false;
    }
  };
  return { busy, run };
}

/** A button that does something on the server. `sure`: it asks once more before it does. */
export function ActButton(props: {
  readonly act: (once: string) => Promise<void>;
  readonly sure?: string;
  readonly kind?: 'primary' | 'danger' | 'quiet';
  readonly children: ComponentChildren;
}) {
  const { busy, run } = useAction();
  const asks = useSignal(false);
  const { sure, kind = 'quiet' } = props;
  const press = () => {
    if (sure !== undefined && !asks.value) asks.value = true;
    else {
      asks.value = false;
      void run(props.act);
    }
  };
  return (
    <button
      type="button"
      class={asks.value ? 'danger' : kind}
      aria-busy={busy.value}
      aria-disabled={busy.value}
      onClick={press}
      onBlur={() => (asks.value = false)}
    >
      {asks.value ? sure : props.children}
    </button>
  );
}
