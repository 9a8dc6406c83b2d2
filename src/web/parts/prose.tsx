import { signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Root } from 'mdast';
import { Markdown } from './markdown.tsx';
import { visible } from './text.tsx';

/** Reads Markdown; null: it is not loaded yet, since it is as large as the rest of the page. */
const reader = signal<((text: string) => Root | null) | null>(null);
void import('../markdown-tree.ts').then(({ treeOf }) => (reader.value = treeOf));

/**
 * The longest text that is shown whole at once, and what is shown of a longer one, in characters.
 */
const longest = 12_000;
const beginning = 6_000;
/** The longest text that is read as Markdown, and how much of a longer one one click adds. */
const mostDrawn = 30_000;
const step = 200_000;

interface Props {
  readonly value: string;
  /** The level of the heading above it. */
  readonly within?: number;
}

/** A text of a person or an agent, as it was meant: as Markdown, folded where it is long. */
export function Prose({ value, within = 2 }: Props) {
  const most = useSignal(value.length <= longest ? longest : beginning);
  const isSource = useSignal(false);
  const shown = useMemo(() => cut(value, most.value), [value, most.value]);
  const read = shown.length <= mostDrawn ? reader.value : null;
  const tree = useMemo(() => read?.(shown) ?? null, [read, shown]);
  const rest = value.length - shown.length;
  return (
    <div class="prose-box">
      {tree === null || isSource.value ? (
        <pre class="text prose">{visible(shown)}</pre>
      ) : (
        <Markdown tree={tree} source={shown} within={within} />
      )}
      {(rest > 0 || tree !== null) && (
        <p class="prose-tools">
          {rest > 0 && (
            <button type="button" onClick={() => (most.value = nextOf(value.length, most.value))}>
              {value.length <= mostDrawn ? 'Show all' : 'Show more'}
            </button>
          )}
          {rest > 0 && <span class="dim">{`${rest.toLocaleString('en')} more characters`}</span>}
          {tree !== null && (
            <button
              type="button"
              class="quiet"
              aria-pressed={isSource.value}
              onClick={() => (isSource.value = !isSource.value)}
            >
              Source
            </button>
          )}
        </p>
      )}
    </div>
  );
}

function nextOf(length: number, most: number): number {
  return length <= mostDrawn ? length : most + step;
}

/** The beginning of what was written, to the end of a line if one is near. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.lastIndexOf('\n', most);
  return text.slice(0, end > most / 2 ? end : most);
}
