import { oneLine } from '../../../kernel/one-line.ts';
import type { Point } from '../../../web/graph.ts';
import type { Composer } from './model.ts';
import { box, portOf, type Direction } from './placing.ts';
import type { Draft } from '../documents.ts';

/** The type of what is dragged from the list of artifacts. */
export const dragged = 'application/x-mailroom-artifact';

type Step = Draft['steps'][number];

/** The sign of each kind of steps; `ui.icon` may be one of these words, or a sign of its own. */
const signs: Readonly<Record<string, string>> = {
  agent: '◆',
  command: '▸',
  gate: '⚑',
  fan_out: '⋔',
  for_each: '⋔',
  while: '↻',
  workflow: '▣',
  set: '=',
};

function signOf({ icon, kind }: Step): string {
  if (icon !== null && Object.hasOwn(signs, icon)) return signs[icon]!;
  // An unknown word has the sign of the kind.
  return icon !== null && icon.length <= 2 ? icon : (signs[kind] ?? '•');
}

/** A colour that CSS can read; null: it cannot. */
function colorOf({ color }: Step): string | null {
  return color !== null && CSS.supports('color', color) ? color : null;
}

/** Pixels that an arrow key moves a step; with Shift, one. */
const stride = 20;
const ways: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

interface NodeProps {
  readonly step: Step;
  readonly place: Point;
  readonly direction: Direction;
  readonly isChosen: boolean;
  /** False: it is far from what is seen, and only its place and its name are there. */
  readonly isNear: boolean;
  readonly problems: number;
  readonly editable: boolean;
  readonly composer: Composer;
}

/** A step on the canvas. Enter chooses it, arrows move it, Delete removes it. */
export function StepNode(props: NodeProps) {
  const { step, place, direction, isChosen, isNear, problems, editable, composer } = props;
  const { id, kind, condition } = step;
  const port = portOf(direction);
  const pressed = (event: KeyboardEvent) => {
    const way = ways[event.key];
    if (event.key === 'Enter' || event.key === ' ') composer.choose(id, event.shiftKey);
    else if (event.key === 'Delete' && editable) void composer.act({ do: 'remove', steps: [id] });
    else if (way !== undefined && editable) {
      const by = event.shiftKey ? 1 : stride;
      void composer.act({ do: 'move', positions: { [id]: [place.x + way.x * by, place.y + way.y * by] } });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const words = [
    `${oneLine(id, 60)}, ${kind.replaceAll('_', ' ')}`,
    ...(problems > 0 ? [`${String(problems)} ${problems === 1 ? 'problem' : 'problems'}`] : []),
    ...(condition === null ? [] : [`only if ${oneLine(condition, 200)}`]),
  ];
  return (
    <g
      class={`step ${kind === 'gate' ? 'wait' : 'calm'}${problems > 0 ? ' bad' : ''}${isChosen ? ' chosen' : ''}`}
      transform={`translate(${String(place.x)} ${String(place.y)})`}
      data-step={id}
      role="button"
      tabindex={0}
      aria-pressed={isChosen}
      aria-label={isNear ? undefined : words.join(', ')}
      onKeyDown={pressed}
      onDragOver={(event: DragEvent) => event.preventDefault()}
      onDrop={(event: DragEvent) => {
        event.preventDefault();
        const artifact = event.dataTransfer?.getData(dragged) ?? '';
        if (artifact !== '') void composer.act({ do: 'use', artifact, step: id });
      }}
    >
      {isNear ? (
        <>
          <title>{words.join(', ')}</title>
          <Face step={step} problems={problems} />
        </>
      ) : (
        <rect class="body" width={box.width} height={box.height} rx="8" />
      )}
      {editable && isNear && <circle class="port" cx={port.x} cy={port.y} r="7" />}
    </g>
  );
}

/** What a step shows; its title says all of it. */
function Face({ step, problems }: { readonly step: Step; readonly problems: number }) {
  const { id, name, kind, badges, condition } = step;
  const color = colorOf(step);
  const more = [...(condition === null ? [] : ['if']), ...badges];
  return (
    <g aria-hidden="true">
      <rect class="body" width={box.width} height={box.height} rx="8" />
      {color !== null && (
        <rect class="stripe" width="5" height={box.height} rx="2.5" style={{ fill: color }} />
      )}
      <text class="sign" x="14" y="24">
        {signOf(step)}
      </text>
      <foreignObject x="34" y="8" width={box.width - 46} height="20">
        <div class="title">{oneLine(name ?? id, 120)}</div>
      </foreignObject>
      <foreignObject x="14" y="32" width={box.width - 26} height="18">
        <div class="sub">{oneLine([kind.replaceAll('_', ' '), ...more].join(' · '), 120)}</div>
      </foreignObject>
      {problems > 0 && (
        <g class="count-of-problems">
          <circle cx={box.width - 4} cy="4" r="9" />
          <text x={box.width - 4} y="8" text-anchor="middle">
            {problems}
          </text>
        </g>
      )}
    </g>
  );
}
