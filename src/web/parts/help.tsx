import { dialog, shortcuts } from '../keys.ts';
import { Dialog } from './dialog.tsx';

/** All keys of the page. */
export function Help() {
  return (
    <Dialog label="Keys">
      <h2>Keys</h2>
      <dl class="keys">
        {shortcuts.map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>Ctrl+Enter</kbd>
          </dt>
          <dd>Send what is typed</dd>
        </div>
        <div>
          <dt>
            <kbd>Esc</kbd>
          </dt>
          <dd>Close this</dd>
        </div>
      </dl>
      <button type="button" onClick={() => (dialog.value = null)}>
        Close
      </button>
    </Dialog>
  );
}
