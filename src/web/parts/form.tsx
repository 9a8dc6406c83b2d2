import { useSignal } from '@preact/signals';
import type { ComponentChildren, FormHTMLAttributes } from 'preact';
import { shortId } from '../../kernel/ids.ts';
import { oneLine } from '../../kernel/one-line.ts';
import type { CommandResult } from '../api/actions.ts';
import { send } from '../api/client.ts';
import type { Session } from '../../documents/status.ts';
import { past } from '../state/past.ts';
import { saved } from '../state/saved.ts';
import { useLive } from '../state/live.ts';
import { complain, notify } from '../state/toasts.ts';

/** Runs one action at a time, and shows why it failed. */
export function useAction() {
  const busy = useSignal(false);
  const run = async (act: () => Promise<unknown>): Promise<void> => {
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

/** What a command has done, by its path: `Done: pause clumsy.` */
function effectOf(path: string): string {
  const [name = '', verb = ''] = path.split('/').slice(-2);
  if (verb === 'retry') return 'It starts again.';
  const whole = decodeURIComponent(name);
  return `Done: ${verb} ${whole.length === 36 ? shortId(whole) : oneLine(whole, 40) || 'all'}.`;
}

/** Sends a command by its path, and reports when it takes effect. */
export async function perform(path: string): Promise<void> {
  const { state, reason } = await send<CommandResult>(path, {});
  if (state === 'refused') notify(`Refused: ${oneLine(reason ?? '')}`);
  else notify(state === 'recorded' ? 'Recorded: it takes effect when a controller runs.' : effectOf(path));
}

/** The same for what a path names, such as `/roles/qa` or `/turns/t3`. */
export async function say(path: string, verb: 'pause' | 'unpause' | 'cancel' | 'retry'): Promise<void> {
  await perform(`${path}/${verb}`);
}

/** Why this person must not change anything here; null: nothing forbids it. */
export function useRefusal(): string | null {
  const session = useLive<Session>('/session').value.value;
  if (saved !== null) return 'A saved page changes nothing.';
  if (past.value !== null) return 'The page shows the past: go back to now first.';
  return session?.access === 'read' ? `The key of ${oneLine(session.name, 40)} may only read.` : null;
}

/** Says at a field, by its id, what is wrong with it, until something else is typed. */
export function refuseField(id: string, why: string): void {
  const field = document.getElementById(id);
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
  field.setCustomValidity(why);
  field.reportValidity();
  field.addEventListener('input', () => field.setCustomValidity(''), { once: true });
}

/** Sends the form on Ctrl+Enter, too. */
export function onSubmit(act: () => void): FormHTMLAttributes {
  return {
    onSubmit: (event) => {
      event.preventDefault();
      act();
    },
    onKeyDown: (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        act();
      }
    },
  };
}

/** The button that sends a form; disabled with the reason where the person may only read. */
export function WriteButton({
  busy,
  children,
}: {
  readonly busy: boolean;
  readonly children: ComponentChildren;
}) {
  const refusal = useRefusal();
  return (
    <>
      <button type="submit" class="primary" aria-busy={busy} disabled={refusal !== null}>
        {children}
      </button>
      {refusal !== null && <span class="help refusal"> {refusal}</span>}
    </>
  );
}

/** A button that does something on the server. `sure`: it asks once more before it does. */
export function ActButton(props: {
  readonly act: () => Promise<unknown>;
  readonly sure?: string;
  readonly kind?: 'primary' | 'danger' | 'quiet' | 'plain';
  /** What it does, where its content is only a sign. */
  readonly label?: string;
  readonly children: ComponentChildren;
}) {
  const { busy, run } = useAction();
  const asks = useSignal(false);
  const refusal = useRefusal();
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
      disabled={refusal !== null}
      aria-label={props.label}
      title={refusal ?? props.label}
      onClick={press}
      onBlur={() => (asks.value = false)}
    >
      {asks.value ? sure : props.children}
    </button>
  );
}
