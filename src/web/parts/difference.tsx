import { Panel } from './panel.tsx';
import { visible } from './text.tsx';

/** The most characters of a difference that are shown. */
const mostShown = 200_000;

/** The files of a patch, with its size. */
export function Patch({ title, patch }: { readonly title: string; readonly patch: string }) {
  const { files, added, removed } = sizeOf(patch);
  const size = `${String(files)} ${files === 1 ? 'file' : 'files'}, +${String(added)} −${String(removed)}`;
  return (
    <Panel title={title} aside={<span class="dim">{size}</span>}>
      {patch !== '' && <Difference patch={patch.trimEnd()} />}
    </Panel>
  );
}

/** A patch with its added and removed lines coloured; the signs at their beginning stay. */
function Difference({ patch }: { readonly patch: string }) {
  const lines = patch.slice(0, mostShown).split('\n');
  const rest = patch.length - mostShown;
  return (
    <pre class="text code difference" tabIndex={0}>
      {lines.map((line, index) => (
        <span key={index} class={classOf(line)}>
          {`${visible(line)}\n`}
        </span>
      ))}
      {rest > 0 && `… ${String(rest)} more characters`}
    </pre>
  );
}

function classOf(line: string): string {
  if (/^(?:diff|index|\+\+\+|---|new file|deleted file|old mode|new mode) ?/.test(line)) return 'of-file';
  if (line.startsWith('@@')) return 'of-place';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'same';
}

/** The files of a patch, and how many lines it adds to and removes from all of them. */
function sizeOf(patch: string): { files: number; added: number; removed: number } {
  const lines = patch.split('\n');
  const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  return {
    files: count(/^diff /),
    added: count(/^\+(?!\+\+ )/),
    removed: count(/^-(?!-- )/),
  };
}
