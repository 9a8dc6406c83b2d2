import { useSignal } from '@preact/signals';
import { onSubmit, useAction, WriteButton } from '../../../web/parts/form.tsx';

interface NameFormProps {
  readonly id: string;
  readonly label: string;
  readonly placeholder: string;
  readonly button: string;
  /** Receives the name, which is not empty. */
  readonly act: (name: string) => Promise<void>;
}

/** Asks for one name, and does something with it. */
export function NameForm({ id, label, placeholder, button, act }: NameFormProps) {
  const name = useSignal('');
  const { busy, run } = useAction();
  const submit = () => {
    const wanted = name.value.trim();
    if (wanted !== '') void run(() => act(wanted));
  };
  return (
    <form class="row" {...onSubmit(submit)}>
      <label for={id}>{label}</label>
      <input
        id={id}
        class="short"
        placeholder={placeholder}
        autocomplete="off"
        value={name.value}
        onInput={(event) => (name.value = event.currentTarget.value)}
      />
      <WriteButton busy={busy.value}>{button}</WriteButton>
    </form>
  );
}
