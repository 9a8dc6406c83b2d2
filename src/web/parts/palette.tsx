import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { called } from '../../kernel/called.ts';
import { shortId } from '../../kernel/ids.ts';
import { oneLine } from '../../kernel/one-line.ts';
import type { WorkflowRow } from '../../documents/workflows.ts';
import { rank } from '../find.ts';
import { dialog, shortcuts } from '../keys.ts';
import { threadsPath } from '../api/client.ts';
import { useLive } from '../state/live.ts';
import { go, link } from '../state/route.ts';
import { Dialog } from './dialog.tsx';
import type { InboxDocument } from '../../documents/inbox.ts';
import type { RunSummary } from '../../documents/runs.ts';
import type { Overview, ThreadRow } from '../../documents/status.ts';

interface Command {
  readonly kind: string;
  readonly text: string;
  readonly keys?: string;
  readonly isFound?: boolean;
  readonly act: () => void;
}

const mostShown = 12;

/** Everything that one can go to or do, found by a few letters. */
export function Palette() {
  const typed = useSignal('');
  const chosen = useSignal(0);
  const input = useRef<HTMLInputElement>(null);
  const commands = useCommands(typed.value);
  const found = rank(commands, typed.value).slice(0, mostShown);
  useLayoutEffect(() => input.current?.focus(), []);
  const take = (command: Command | undefined) => {
    dialog.value = null;
    // The focus goes back to the opener first.
    queueMicrotask(() => command?.act());
  };
  const press = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) {
      event.preventDefault();
      chosen.value = Math.max(0, Math.min(found.length - 1, chosen.value + by));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      take(found[chosen.value]);
    }
  };
  const type = (text: string) => {
    typed.value = text;
    chosen.value = 0;
  };
  return (
    <Dialog label="Find">
      <input
        ref={input}
        class="palette"
        role="combobox"
        aria-label="Find a view, role, thread, run or workflow"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={found.length > 0 ? `found-${String(chosen.value)}` : undefined}
        autocomplete="off"
        placeholder="Find …"
        value={typed.value}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={press}
      />
      <Found commands={found} chosen={chosen.value} take={take} />
      {found.length === 0 && <p class="empty">Nothing has these letters.</p>}
    </Dialog>
  );
}

interface FoundProps {
  readonly commands: readonly Command[];
  readonly chosen: number;
  readonly take: (command: Command) => void;
}

function Found({ commands, chosen, take }: FoundProps) {
  return (
    <ul id="found" role="listbox" aria-label="Found">
      {commands.map((command, index) => (
        <li
          key={`${command.kind} ${command.text}`}
          id={`found-${String(index)}`}
          role="option"
          aria-selected={index === chosen}
          onClick={() => take(command)}
        >
          <span class="kind">{command.kind}</span>
          <span class="grow">{oneLine(command.text, 100)}</span>
          {command.keys !== undefined && <kbd>{command.keys}</kbd>}
        </li>
      ))}
    </ul>
  );
}

function useCommands(typed: string): readonly Command[] {
  const threads = useLive<readonly ThreadRow[]>(threadsPath({ q: typed, limit: mostShown })).value.value;
  const status = useLive<Overview>('/status').value.value;
  const inbox = useLive<InboxDocument>('/inbox').value.value;
  const runs = useLive<readonly RunSummary[]>('/workflow-runs').value.value;
  const workflows = useLive<readonly WorkflowRow[]>('/workflows').value.value;
  const to = (kind: string, text: string, ...path: readonly string[]): Command => ({
    kind,
    text,
    act: () => go(link(...path)),
  });
  return [
    ...shortcuts
      .filter(({ keys }) => !['j', 'k', 'Ctrl+K'].includes(keys))
      .map(({ keys, does, act }) => ({ kind: 'do', text: does, keys, act })),
    ...(inbox?.items ?? []).map((item) => to('inbox', item.subject, 'inbox', item.id)),
    ...(status?.roles ?? []).map(({ name }) => to('role', name, 'roles', name)),
    ...(workflows ?? []).map(({ name, file }) => to('workflow', name ?? file, 'workflows', name ?? file)),
    ...(runs ?? []).map(({ run, workflow, title, standing: { word } }) => ({
      ...to('run', `${called(workflow, title)} ${shortId(run)}: ${word}`, 'runs', run),
      isFound: run === typed.trim(),
    })),
    // The words may be in a message of it.
    ...(threads ?? []).map(({ id, subject }) => ({ ...to('thread', subject, 'threads', id), isFound: true })),
  ];
}
