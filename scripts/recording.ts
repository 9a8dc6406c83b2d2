// `npm run recording`: draws docs/images/up.svg, the recording of README, from a real `mailroom up`
// of the demo on a pseudo terminal. A picture that moves by style alone: no script, no font.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import xterm from '@xterm/headless';
import { execa } from 'execa';

const root = fileURLToPath(new URL('..', import.meta.url));
const [columns, rows] = [92, 27];
/** Pixels of a character and of a line. */
const [wide, high] = [8, 18];
const margin = 16;
/** Seconds that the last picture stays. */
const rest = 5;

const colours: Readonly<Record<number, string>> = {
  1: '#ff7b72',
  2: '#7ee787',
  3: '#e3b341',
  4: '#79c0ff',
  5: '#d2a8ff',
  6: '#56d4dd',
  7: '#c9d1d9',
};

/** What the screen showed from a time on, in seconds. */
interface Picture {
  readonly at: number;
  readonly lines: readonly string[];
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (sign) => `&#${String(sign.codePointAt(0))};`);
}

/** A line of the screen as text of the same style, piece by piece. */
function drawnLine(line: xterm.IBufferLine | undefined, row: number): string {
  const pieces: { style: string; text: string; from: number }[] = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line?.getCell(column);
    const text = cell?.getChars() ?? '';
    if (cell === undefined || text === '') continue;
    const colour = cell.isFgPalette() ? colours[cell.getFgColor() % 8] : undefined;
    const style = [
      colour === undefined ? '' : ` fill="${colour}"`,
      cell.isBold() ? ' font-weight="bold"' : '',
      cell.isDim() ? ' opacity="0.6"' : '',
    ].join('');
    const last = pieces.at(-1);
    if (last?.style === style) last.text += text;
    else pieces.push({ style, text, from: column });
  }
  return pieces
    .map(({ style, text, from }) => ({ style, text: text.trimEnd(), x: margin + from * wide }))
    .filter(({ text }) => text.trim() !== '')
    .map(({ style, text, x }) => {
      const start = text.length - text.trimStart().length;
      const y = margin + (row + 1) * high;
      return `<text x="${String(x + start * wide)}" y="${String(y)}"${style}>${escaped(text.trimStart())}</text>`;
    })
    .join('');
}

/** The pictures of one command on a terminal. */
async function record(cwd: string, command: string): Promise<Picture[]> {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const pictures: Picture[] = [];
  const started = performance.now();
  const look = () => {
    const { active } = terminal.buffer;
    const lines = Array.from({ length: rows }, (_, row) =>
      drawnLine(active.getLine(active.viewportY + row), row),
    );
    if (lines.join() === pictures.at(-1)?.lines.join()) return;
    pictures.push({ at: (performance.now() - started) / 1000, lines });
  };
  await new Promise<void>((resolve) => terminal.write(`\u001B[32m$\u001B[0m ${command}\r\n`, resolve));
  look();
  const line = `stty rows ${String(rows)} cols ${String(columns)}; exec ${command}`;
  const child = execa('script', ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
    cwd,
    env: {
      PATH: `${join(root, 'bin')}:${process.env['PATH'] ?? ''}`,
      HOME: cwd,
      TERM: 'xterm-256color',
      SHELL: '/bin/sh',
    },
    extendEnv: false,
    stdio: ['pipe', 'pipe', 'inherit'],
    reject: false,
  });
  child.stdout.on('data', (chunk: Buffer) => terminal.write(chunk, look));
  const { exitCode: code } = await child;
  await new Promise<void>((resolve) => terminal.write('', resolve));
  look();
  if (code !== 0) throw new Error(`${command} ended with exit code ${String(code)}`);
  return pictures;
}

/** Pictures that stay for less than this, in seconds, are left out. */
const shortest = 0.15;

function drawn(all: readonly Picture[]): string {
  const pictures = all.filter(({ at }, index) => (all[index + 1]?.at ?? Infinity) - at >= shortest);
  const length = (pictures.at(-1)?.at ?? 0) + rest;
  // A line that stays is drawn once, with the times at which it comes and goes.
  const spans = new Map<string, { from: number; to: number }[]>();
  pictures.forEach(({ at, lines }, index) => {
    const to = pictures[index + 1]?.at ?? length;
    for (const line of lines.filter((each) => each !== '')) {
      const known = spans.get(line) ?? [];
      const last = known.at(-1);
      if (last?.to === at) last.to = to;
      else known.push({ from: at, to });
      spans.set(line, known);
    }
  });
  const share = (time: number) => `${((100 * time) / length).toFixed(2)}%`;
  const styles: string[] = [];
  const bodies = [...spans].flatMap(([line, times]) =>
    times.map(({ from, to }) => {
      const name = `l${String(styles.length)}`;
      const hidden = from === 0 ? '' : `0%{visibility:hidden}`;
      const gone = to === length ? '' : `${share(to)}{visibility:hidden}`;
      styles.push(`@keyframes ${name}{${hidden}${share(from)}{visibility:visible}${gone}}`);
      const passing = to === length ? '' : ' class="passing"';
      return `<g${passing} style="animation-name:${name}">${line}</g>`;
    }),
  );
  const [width, height] = [columns * wide + 2 * margin, (rows + 1) * high + margin];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(width)} ${String(height)}" width="${String(width)}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="#c9d1d9" xml:space="preserve">`,
    '<title>mailroom up: three roles design, build, review and deliver a feature</title>',
    `<style>text{white-space:pre}g{animation-duration:${length.toFixed(2)}s;animation-timing-function:step-end;animation-iteration-count:infinite;animation-fill-mode:both}`,
    // Who wants no motion sees the last picture.
    '@media (prefers-reduced-motion){g{animation:none}.passing{visibility:hidden}}',
    `${styles.join('')}</style>`,
    '<rect width="100%" height="100%" rx="8" fill="#0d1117"/>',
    ...bodies,
    '</svg>\n',
  ].join('\n');
}

const folder = mkdtempSync(join(tmpdir(), 'mailroom-recording-'));
try {
  const mailroom = (...args: readonly string[]) =>
    execFileSync(join(root, 'bin/mailroom'), args, { cwd: folder, stdio: 'ignore' });
  mailroom('init', '.', '--template', 'calculator');
  execFileSync('git', ['init', '--quiet'], { cwd: folder });
  mailroom('send', 'architect', '--message', 'Add subtraction');
  const pictures = await record(folder, 'mailroom up --until-idle');
  mkdirSync(join(root, 'docs/images'), { recursive: true });
  writeFileSync(join(root, 'docs/images/up.svg'), drawn(pictures));
  console.log(`docs/images/up.svg: ${String(pictures.length)} pictures`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
