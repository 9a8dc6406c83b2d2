import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { oneLine } from '../../kernel/one-line.ts';
import type { RoleStatus } from '../../operations/mail-status.ts';
import { bent, borderOf, cycleIn, ring, ringBox, type Edge, type Point } from '../graph.ts';
import { Empty } from '../parts/panel.tsx';
import { State, toneOf, visible } from '../parts/text.tsx';
import { go, link } from '../state/route.ts';
import { ArrowMarker } from '../parts/arrow-marker.tsx';

/** A wider drawing has long arrows and says no more. */
const mostWidth = 720;

/** The waits that hold a role, as edges from the one who waits to the one who is asked. */
function waitsOf(roles: readonly RoleStatus[]): Edge[] {
  return roles.flatMap(({ name, waits }) =>
    [...new Set(waits.filter(({ blocks }) => blocks !== 'none').flatMap((wait) => wait.roles))].map((to) => ({
      from: name,
      to,
    })),
  );
}

/** The width of an element in pixels, as long as it is shown. */
export function useWidth() {
  const width = useSignal(0);
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(
      ([entry]) => (width.value = Math.round(entry?.contentRect.width ?? 0)),
    );
    if (element.current !== null) observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}

/** The roles on a ring, and an arrow for each wait; the table below it has the same. */
export function WaitGraph({ roles }: { readonly roles: readonly RoleStatus[] }) {
  const { element, width } = useWidth();
  const edges = waitsOf(roles);
  const cycle = cycleIn(edges);
  return (
    <div ref={element} class="graph">
      {cycle !== null && (
        <p class="deadlock" role="alert">
          <State value="deadlock" /> {visible([...cycle, cycle[0]].join(' waits for '))}
        </p>
      )}
      {roles.length === 0 && <Empty>The protocol has no roles.</Empty>}
      {edges.length === 0 && roles.length > 0 && <p class="dim">No role waits for another one.</p>}
      {width.value > 0 && roles.length > 0 && (
        <Drawing roles={roles} edges={edges} cycle={cycle ?? []} width={width.value} />
      )}
    </div>
  );
}

type Box = ReturnType<typeof ringBox>;

interface DrawingProps {
  readonly roles: readonly RoleStatus[];
  readonly edges: readonly Edge[];
  readonly cycle: readonly string[];
  readonly width: number;
}

function Drawing({ roles, edges, cycle, width }: DrawingProps) {
  const names = roles.map(({ name }) => name);
  const drawn = Math.min(width, mostWidth);
  const box = ringBox(drawn);
  const perRow = Math.max(2, Math.min(8, Math.floor(width / 190)));
  const height = Math.max(190, Math.ceil(names.length / perRow) * 84 + 60);
  const places = ring(names, drawn, height, { x: box.width / 2 + 6, y: box.height / 2 + 6 });
  const isInCycle = ({ from, to }: Edge) => cycle.includes(from) && cycle.includes(to);
  return (
    <svg
      viewBox={`0 0 ${String(drawn)} ${String(height)}`}
      width={drawn}
      height={height}
      role="img"
      aria-label={labelOf(edges)}
    >
      <defs>
        {['arrow', 'arrow-bad'].map((id) => (
          <ArrowMarker key={id} id={id} />
        ))}
      </defs>
      {edges.map((edge) => (
        <Arrow
          key={`${edge.from} ${edge.to}`}
          edge={edge}
          places={places}
          box={box}
          isBad={isInCycle(edge)}
        />
      ))}
      {roles.map((role) => (
        <Node key={role.name} role={role} at={places.get(role.name)!} box={box} />
      ))}
    </svg>
  );
}

function labelOf(edges: readonly Edge[]): string {
  if (edges.length === 0) return 'No role waits for another one';
  return edges.map(({ from, to }) => `${oneLine(from, 40)} waits for ${oneLine(to, 40)}`).join(', ');
}

function Arrow({
  edge,
  places,
  box,
  isBad,
}: {
  readonly edge: Edge;
  readonly box: Box;
  readonly places: ReadonlyMap<string, Point>;
  readonly isBad: boolean;
}) {
  const [from, to] = [places.get(edge.from), places.get(edge.to)];
  if (from === undefined || to === undefined) return null;
  const [start, end] = [
    borderOf(from, to, box.width, box.height),
    borderOf(to, from, box.width + 8, box.height + 8),
  ];
  return (
    <path
      class={isBad ? 'edge bad' : 'edge'}
      d={bent(start, end, 0.12)}
      marker-end={isBad ? 'url(#arrow-bad)' : 'url(#arrow)'}
    />
  );
}

function Node({ role, at, box }: { readonly role: RoleStatus; readonly at: Point; readonly box: Box }) {
  const name = oneLine(role.name, box.letters);
  return (
    <g class={`node ${toneOf(role.state)}`} onClick={() => go(link('roles', role.name))}>
      <title>{oneLine(role.name, 80)}</title>
      <rect x={at.x - box.width / 2} y={at.y - box.height / 2} width={box.width} height={box.height} rx="8" />
      <text x={at.x} y={at.y - 2} text-anchor="middle">
        {name}
      </text>
      <text class="sub" x={at.x} y={at.y + 13} text-anchor="middle">
        {role.state}
        {role.inbox > 0 && ` · ${String(role.inbox)} in inbox`}
      </text>
    </g>
  );
}
