import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { complain } from '../state/toasts.ts';

/** Runs one action at a time, and shows why it failed. */
export function useAction() {
  const busy = useSignal(false);
  const run = async (act: () => Promise<void>): Promise<void> => {
    if (busy.value) return;
    busy.value = true;
    try {
      await act();
    } catch (error) {
      complain(error);
    } finally {
      busy.value = false;
    }
  };
  return { busy, run };
}

/** A button that does something on the server. `sure`: it asks once more before it does. */
export function ActButton(props: {
  readonly act: () => Promise<void>;
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
