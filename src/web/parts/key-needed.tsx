import { useSignal } from '@preact/signals';
import { useKey } from '../state/session.ts';
import { CommandLine } from './text.tsx';

/** What the page shows without a key. */
export function KeyNeeded() {
  const typed = useSignal('');
  const enter = (event: Event) => {
    event.preventDefault();
    const given = typed.value.trim();
    // A person may paste the whole address.
    if (given !== '') useKey(/[#&]key=([^&]+)/.exec(given)?.[1] ?? given);
  };
  return (
    <main class="lonely">
      <form class="panel" onSubmit={enter}>
        <h1>Mailroom</h1>
        <p>This page needs the key of its server. Open the address that this command prints:</p>
        <CommandLine value="mailroom serve" />
        <div class="field">
          <label for="key">Or paste the address or the key here</label>
          <input
            id="key"
            type="password"
            autocomplete="off"
            value={typed.value}
            onInput={(event) => (typed.value = event.currentTarget.value)}
          />
        </div>
        <button type="submit" class="primary">
          Continue
        </button>
      </form>
    </main>
  );
}
