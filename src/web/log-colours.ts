import Anser from 'anser';

/** The parts of a line with codes of colours, each with the names of its style. */
export function colouredParts(line: string): (readonly [content: string, style: string])[] {
  return Anser.ansiToJson(line, { json: true, remove_empty: true }).map((part) => [
    part.content,
    classOf(part),
  ]);
}

const hues: Readonly<Record<string, string>> = {
  '100': 'red',
  '110': 'yellow',
  '010': 'green',
  '011': 'cyan',
  '001': 'blue',
  '101': 'magenta',
};

/** The hue of a colour as Anser writes it, `187, 0, 0`; null: it is grey. */
function hueOf(colour: string | null): string | null {
  const parts = (colour ?? '').split(',').map(Number);
  const [most, least] = [Math.max(...parts), Math.min(...parts)];
  if (parts.length !== 3 || most - least < 40) return null;
  return hues[parts.map((part) => (part > (most + least) / 2 ? '1' : '0')).join('')] ?? null;
}

/** Names of our own style sheet: a log chooses among them, and adds none. */
function classOf({ fg, bg, decorations }: Pick<Anser.AnserJsonEntry, 'fg' | 'bg' | 'decorations'>): string {
  const [ink, ground] = [hueOf(fg), hueOf(bg)];
  const hue = ground !== null ? `on-${ground}` : ink !== null ? `ink-${ink}` : '';
  const styles = (['bold', 'dim', 'italic', 'underline', 'strikethrough', 'reverse'] as const).filter(
    (each) => decorations.includes(each),
  );
  return [hue, ...styles.map((each) => `is-${each}`)].filter((each) => each !== '').join(' ');
}
