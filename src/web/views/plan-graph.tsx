import { oneLine } from '../../kernel/one-line.ts';
import { layers } from '../graph.ts';

/** A step as the graph draws it. */
interface Step {
  readonly step: string;
  readonly kind: string;
  readonly needs: readonly string[];
}

const box = { width: 132, height: 34 };
const gap = { x: 40, y: 12 };
/** Above this number of steps a drawing is not read any more; the table has them all. */
const mostDrawn = 200;

/** The steps and what each needs, from left to right; the table below it has the same. */
export function PlanGraph({ contracts }: { readonly contracts: readonly Step[] }) {
  const steps = contracts.filter(({ step }) => !step.includes('/'));
  if (steps.length < 2 || steps.length > mostDrawn) return null;
  const cells = layers(new Map(steps.map(({ step, needs }) => [step, needs])));
  const all = [...cells.values()];
  const columns = Math.max(...all.map(({ column }) => column)) + 1;
  const rows = Math.max(...all.map(({ row }) => row)) + 1;
  const [width, height] = [
    columns * (box.width + gap.x) - gap.x + 4,
    rows * (box.height + gap.y) - gap.y + 4,
  ];
  const placeOf = (name: string) => {
    const cell = cells.get(name);
    return cell && { x: 2 + cell.column * (box.width + gap.x), y: 2 + cell.row * (box.height + gap.y) };
  };
  return (
    <div class="scroll graph" tabIndex={0} role="group" aria-label="Graph of the steps">
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`${String(steps.length)} steps; the table below lists what each needs`}
      >
        {steps.flatMap(({ step, needs }) =>
          needs.map((need) => {
            const [from, to] = [placeOf(need), placeOf(step)];
            if (from === undefined || to === undefined) return null;
            const [x1, y1, x2, y2] = [
              from.x + box.width,
              from.y + box.height / 2,
              to.x,
              to.y + box.height / 2,
            ];
            const d = `M${String(x1)} ${String(y1)}C${String(x1 + 24)} ${String(y1)} ${String(x2 - 24)} ${String(y2)} ${String(x2)} ${String(y2)}`;
            return <path key={`${need} ${step}`} class="edge" d={d} />;
          }),
        )}
        {steps.map(({ step, kind }) => {
          const place = placeOf(step)!;
          return (
            <g key={step} class={`node ${kind === 'GATE' ? 'wait' : 'calm'}`}>
              <title>{oneLine(step, 120)}</title>
              <rect x={place.x} y={place.y} width={box.width} height={box.height} rx="6" />
              <text x={place.x + 10} y={place.y + box.height / 2 + 4}>
                {oneLine(step, 17)}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
