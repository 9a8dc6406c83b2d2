import { effect, signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { oneLine } from '../../kernel/one-line.ts';
import { downloadLog, searchLog } from '../api/logs.ts';
import type { FollowedLog } from '../state/log-lines.ts';
import { saved } from '../state/saved.ts';
import { complain } from '../state/toasts.ts';
import { useAction } from './form.tsx';

const place = 'mailroom.logs.wrapped';

/** Whether long lines of logs are wrapped; it is remembered. */
export const isWrapped = signal(localStorage.getItem(place) !== 'no');

effect(() => localStorage.setItem(place, isWrapped.value ? 'yes' : 'no'));

interface Props {
  /** What the log is called. */
  readonly name: string;
  readonly log: FollowedLog;
  readonly total: number;
  /** Brings a line into sight, counted from 1. */
  readonly show: (line: number | 'end') => void;
  /** It shows what comes as it comes. */
  readonly isFollowing: boolean;
}

/** What can be done with a log: search it, go to its ends and its failure, wrap it, save it. */
export function LogTools({ name, log, total, show, isFollowing }: Props) {
  const failure = log.failure;
  const missing = saved === null ? 0 : total - log.lines.size;
  return (
    <div class="log-tools">
      <LogSearch name={name} log={log} show={show} />
      {failure !== null && (
        <button type="button" onClick={() => show(failure.line)}>
          Failure
        </button>
      )}
      <button type="button" onClick={() => show(1)}>
        Beginning
      </button>
      <button type="button" onClick={() => show('end')}>
        End
      </button>
      <label>
        <input
          type="checkbox"
          checked={isWrapped.value}
          onChange={(event) => (isWrapped.value = event.currentTarget.checked)}
        />
        Wrap
      </label>
      {saved === null && (
        <button type="button" class="quiet" onClick={() => void downloadLog(log.path).catch(complain)}>
          Download
        </button>
      )}
      <span class="dim" role="status">
        {`${total.toLocaleString('en')} ${total === 1 ? 'line' : 'lines'}${isFollowing ? ', following' : ''}`}
      </span>
      {missing > 0 && (
        <p class="dim">
          {`This file keeps what lies around the failure, the beginning and the end: ${missing.toLocaleString('en')} lines are left out.`}
        </p>
      )}
    </div>
  );
}

interface Hits {
  readonly text: string;
  readonly lines: readonly number[];
  readonly next: number | null;
  readonly at: number;
}

/** Shows the next line that holds what is sought, or the one before; more are read as needed. */
function useSearch({ log, show }: Pick<Props, 'log' | 'show'>) {
  const hits = useSignal<Hits | null>(null);
  const { busy, run } = useAction();
  const go = (next: Hits) => {
    hits.value = next;
    const line = next.lines[next.at];
    if (line !== undefined) show(line);
  };
  const find = async (text: string, by: 1 | -1) => {
    if (text === '') return;
    const known = hits.value?.text === text ? hits.value : null;
    const at = known === null ? 0 : known.at + by;
    if (known !== null && known.lines[at] !== undefined) return go({ ...known, at });
    if (known !== null && (by === -1 || known.next === null))
      return go({ ...known, at: by === 1 ? 0 : known.lines.length - 1 });
    const found = await searchLog(log.path, text, known?.next ?? 1);
    go({ text, lines: [...(known?.lines ?? []), ...found.lines], next: found.next, at });
  };
  return { hits: hits.value, busy, find: (text: string, by: 1 | -1) => run(() => find(text, by)) };
}

/** Finds lines by what they hold: Enter goes to the next one, Shift+Enter to the one before. */
function LogSearch({ name, log, show }: Pick<Props, 'name' | 'log' | 'show'>) {
  const { hits, busy, find } = useSearch({ log, show });
  const input = useRef<HTMLInputElement>(null);
  const go = (by: 1 | -1) => void find(input.current?.value ?? '', by);
  return (
    <form
      class="log-search"
      role="search"
      aria-label={`Find in ${oneLine(name, 80)}`}
      onSubmit={(event) => {
        event.preventDefault();
        go(1);
      }}
    >
      <input
        type="search"
        ref={input}
        aria-label="Find in this log"
        placeholder="Find in this log"
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !event.shiftKey) return;
          event.preventDefault();
          go(-1);
        }}
      />
      <button type="button" aria-label="Previous line found" onClick={() => go(-1)}>
        ↑
      </button>
      <button type="submit" aria-label="Next line found" aria-busy={busy.value}>
        ↓
      </button>
      <span class="dim" role="status">
        {hits !== null && counted(hits)}
      </span>
    </form>
  );
}

function counted({ lines, next, at }: Hits): string {
  if (lines.length === 0) return 'not found';
  return `${(at + 1).toLocaleString('en')} of ${lines.length.toLocaleString('en')}${next === null ? '' : '+'}`;
}
