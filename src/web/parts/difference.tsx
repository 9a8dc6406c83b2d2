import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { readPatch, type Hunk, type PatchFile, type PatchLine } from '../patch.ts';
import { Panel } from './panel.tsx';
import { visible } from './text.tsx';

/** Files with more lines are folded at first, and so is what comes after so many lines. */
const mostLines = 1_500;

/** The files of a patch, with its size: a list that leads to each, and their changed lines. */
export function Patch({ title, patch }: { readonly title: string; readonly patch: string }) {
  const files = useMemo(() => readPatch(patch), [patch]);
  const sum = (of: 'added' | 'removed') => files.reduce((all, file) => all + file[of], 0);
  const size = `${String(files.length)} ${files.length === 1 ? 'file' : 'files'}, +${String(sum('added'))} −${String(sum('removed'))}`;
  const opened = openedOf(files);
  return (
    <Panel title={title} aside={<span class="dim">{size}</span>}>
      {files.length > 1 && <FileList files={files} />}
      {files.map((file, index) => (
        <File key={index} id={placeOf(index)} file={file} isOpen={opened.has(index)} />
      ))}
    </Panel>
  );
}

function placeOf(index: number): string {
  return `file-${String(index)}`;
}

/** The files that are open at first: as many as can be shown at once. */
function openedOf(files: readonly PatchFile[]): Set<number> {
  let left = mostLines;
  return new Set(
    files.flatMap((file, index) => {
      const lines = linesOf(file.hunks);
      if (lines > left) return [];
      left -= lines;
      return [index];
    }),
  );
}

function linesOf(hunks: readonly Hunk[]): number {
  return hunks.reduce((sum, { lines }) => sum + lines.length + 1, 0);
}

function FileList({ files }: { readonly files: readonly PatchFile[] }) {
  const go = (event: MouseEvent, index: number) => {
    event.preventDefault();
    const file = document.getElementById(placeOf(index));
    if (!(file instanceof HTMLDetailsElement)) return;
    file.open = true;
    file.scrollIntoView({ block: 'start' });
    file.querySelector('summary')?.focus();
  };
  return (
    <ul class="patch-files">
      {files.map((file, index) => (
        <li key={index}>
          <a href={`#${placeOf(index)}`} onClick={(event) => go(event, index)}>
            <code>{visible(file.path)}</code>
          </a>
          <Counts file={file} />
        </li>
      ))}
    </ul>
  );
}

function Counts({ file: { added, removed, notes } }: { readonly file: PatchFile }) {
  return (
    <span>
      {notes.length > 0 && <span class="dim">{`${visible(notes.join(', '))} `}</span>}
      {added > 0 && <span class="plus">{`+${String(added)} `}</span>}
      {removed > 0 && <span class="minus">{`−${String(removed)}`}</span>}
    </span>
  );
}

function File({
  id,
  file,
  isOpen,
}: {
  readonly id: string;
  readonly file: PatchFile;
  readonly isOpen: boolean;
}) {
  const isShown = useSignal(isOpen);
  return (
    <details
      class="patch-file"
      id={id}
      open={isOpen}
      onToggle={(event) => (isShown.value = event.currentTarget.open)}
    >
      <summary>
        <code>
          {file.from !== null && `${visible(file.from)} → `}
          {visible(file.path)}
        </code>
        <Counts file={file} />
      </summary>
      {file.hunks.length === 0 && <p class="dim">No lines are shown of it.</p>}
      {isShown.value && file.hunks.length > 0 && (
        <ChangedLines hunks={file.hunks} label={`Changes of ${visible(file.path)}`} />
      )}
    </details>
  );
}

/** Changed lines with those around them; of many the first. */
export function ChangedLines({ hunks, label }: { readonly hunks: readonly Hunk[]; readonly label: string }) {
  const most = useSignal(mostLines);
  const left = linesOf(hunks) - most.value;
  return (
    <>
      <div class="difference" tabIndex={0} role="region" aria-label={label}>
        <table>
          <tbody>
            {within(hunks, most.value).map((hunk, index) => (
              <HunkRows key={index} hunk={hunk} />
            ))}
          </tbody>
        </table>
      </div>
      {left > 0 && (
        <p>
          <button type="button" onClick={() => (most.value += 2 * mostLines)}>
            Show more
          </button>{' '}
          <span class="dim">{`${left.toLocaleString('en')} more lines`}</span>
        </p>
      )}
    </>
  );
}

/** The first lines of some hunks. */
function within(hunks: readonly Hunk[], most: number): Hunk[] {
  let left = most;
  return hunks.flatMap((hunk) => {
    if (left <= 0) return [];
    const lines = hunk.lines.slice(0, left);
    left -= lines.length + 1;
    return [{ ...hunk, lines }];
  });
}

function HunkRows({ hunk }: { readonly hunk: Hunk }) {
  return (
    <>
      <tr class="hunk">
        <td colSpan={3}>{visible(hunk.head)}</td>
      </tr>
      {hunk.lines.map((line, index) => (
        <tr key={index} class={line.kind}>
          <td class="at">{line.before}</td>
          <td class="at">{line.after}</td>
          <td>
            <Content line={line} />
          </td>
        </tr>
      ))}
    </>
  );
}

const signs = { same: ' ', added: '+', removed: '-' } as const;

/** A line with its sign: colours are never the only one. */
function Content({ line: { kind, text, isUnended } }: { readonly line: PatchLine }) {
  return (
    <>
      {signs[kind]}
      {visible(text.replace(/\r$/, ''))}
      {text.endsWith('\r') && <span class="dim">␍</span>}
      {isUnended && <span class="dim"> (no line feed at the end of the file)</span>}
    </>
  );
}
