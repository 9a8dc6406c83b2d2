import { dismiss, toasts, undo, type Toast } from '../state/toasts.ts';
import { visible } from './text.tsx';

/** What was done, and what went wrong, with a link to its explanation. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((toast) => (
        <OneToast key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function OneToast({ toast }: { readonly toast: Toast }) {
  const { id, kind, text, hint, code, help } = toast;
  return (
    <div class={`toast ${kind}`} role={kind === 'problem' ? 'alert' : undefined}>
      <div class="grow">
        <p>{visible(text)}</p>
        {hint !== null && <p class="dim">{visible(hint)}</p>}
        {code !== null && (
          <a href={help} target="_blank" rel="noreferrer">
            {code}
          </a>
        )}
      </div>
      {toast.undo !== null && (
        <button type="button" onClick={() => void undo(toast)}>
          Undo <kbd>z</kbd>
        </button>
      )}
      <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
        ×
      </button>
    </div>
  );
}
