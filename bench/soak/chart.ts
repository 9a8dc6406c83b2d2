/** One line of a panel: points of time (seconds) and value; a gap where the value is null. */
export interface Curve {
  readonly name: string;
  readonly color: string;
  readonly points: readonly (readonly [at: number, value: number | null])[];
}

export interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly curves: readonly Curve[];
}

const width = 860;
const panelHeight = 150;
const left = 60;
const right = 20;
const top = 34;
const bottom = 22;

/** A round number at or above a value, so that the axis has readable marks. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * power >= value) ?? 10;
  return step * power;
}

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function line(x1: number, y1: number, x2: number, y2: number, color: string): string {
  return `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" stroke="${color}"/>`;
}

function label(x: number, y: number, anchor: 'start' | 'middle' | 'end', text: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${escape(text)}</text>`;
}

function drawPanel(panel: Panel, offset: number, until: number): string {
  const values = panel.curves.flatMap(({ points }) => points.map(([, value]) => value ?? 0));
  const highest = roundUp(values.reduce((most, value) => Math.max(most, value), 0) * 1.05);
  const [y0, y1] = [offset + panelHeight - bottom, offset + top];
  const x = (at: number) => left + (at / until) * (width - left - right);
  const y = (value: number) => y0 - (value / highest) * (y0 - y1);
  const marks = [0, 0.5, 1].map((share) => {
    const value = highest * share;
    return `${line(left, y(value), width - right, y(value), '#ddd')}${label(left - 6, y(value) + 4, 'end', String(value))}`;
  });
  const minutes = Array.from({ length: 6 }, (_none, index) => (until * index) / 5);
  const times = minutes.map((at, index) =>
    label(x(at), y0 + 15, index === 5 ? 'end' : 'middle', `${(at / 60).toFixed(1)} min`),
  );
  const curves = panel.curves.map(({ color, points }) => {
    const drawn = points.flatMap(([at, value]) =>
      value === null ? [] : [`${x(at).toFixed(1)},${y(value).toFixed(1)}`],
    );
    return `<polyline fill="none" stroke="${color}" stroke-width="1.4" points="${drawn.join(' ')}"/>`;
  });
  const legend = panel.curves.map(
    ({ name, color }, index) =>
      `<g fill="${color}">${label(width - right - 130 * index, offset + 20, 'end', name)}</g>`,
  );
  const title = `<g font-weight="bold">${label(left, offset + 20, 'start', `${panel.title} (${panel.unit})`)}</g>`;
  return [title, ...(panel.curves.length > 1 ? legend : []), ...marks, ...times, ...curves].join('\n');
}

/** A picture of quantities over the same time, one panel below the other. `until` is the end in seconds. */
export function chart(title: string, panels: readonly Panel[], until: number): string {
  const height = 30 + panels.length * panelHeight + 10;
  const drawn = panels.map((panel, index) => drawPanel(panel, 30 + index * panelHeight, until));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${String(width)}" height="${String(height)}" font-family="sans-serif" font-size="11" fill="#333">
<rect width="100%" height="100%" fill="#fff"/>
<g font-size="13">${label(left, 22, 'start', title)}</g>
${drawn.join('\n')}
</svg>
`;
}
