import { oneLine } from '../../kernel/one-line.ts';
import {
  arrowBetween,
  bent,
  cycleIn,
  marginOf,
  ring,
  ringBox,
  ringHeight,
  type Box,
  type Edge,
  type Point,
} from '../graph.ts';
import { Empty } from '../parts/panel.tsx';
import { State, toneByStanding, visible } from '../parts/text.tsx';
import { ArrowMarker } from '../parts/arrow-marker.tsx';
import { RoleBox, useWidth } from '../parts/role-ring.tsx';
import type { RoleStatus } from '../../documents/status.ts';

/** A wider drawing has long arrows and says no more. */
const mostWidth = 720;
/** In less, a ring has no room for its arrows. */
const leastWidth = 400;

/** The waits that hold a role, as edges from the one who waits to the one who is asked. */
function waitsOf(roles: readonly RoleStatus[]): Edge[] {
  return roles.flatMap(({ name, waits }) =>
    [...new Set(waits.filter(({ blocks }) => blocks !== 'none').flatMap((wait) => wait.roles))].map((to) => ({
      from: name,
      to,
    })),
  );
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
      {edges.length > 0 && width.value > 0 && width.value < leastWidth && <p>{labelOf(edges)}.</p>}
      {edges.length > 0 && width.value >= leastWidth && (
        <Drawing roles={roles} edges={edges} cycle={cycle ?? []} width={width.value} />
      )}
    </div>
  );
}

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
  const least = Math.max(190, Math.ceil(names.length / perRow) * 84 + 60);
  const height = ringHeight(names, drawn, box, least);
  const places = ring(names, drawn, height, marginOf(box));
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
        <RoleBox
          key={role.name}
          name={role.name}
          at={places.get(role.name)!}
          box={box}
          tone={toneByStanding[role.standing.is]}
        >
          {subOf(role)}
        </RoleBox>
      ))}
    </svg>
  );
}

/** What stands below the name of a role: it has room for two words. */
function subOf({ standing: { is, word }, inbox }: RoleStatus): string {
  if (is === 'needs you') return is;
  return inbox > 0 ? `${oneLine(word, 12)} · ${String(inbox)} mail` : oneLine(word, 18);
}

function labelOf(edges: readonly Edge[]): string {
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
  const { start, end } = arrowBetween(from, to, box);
  return (
    <path
      class={isBad ? 'edge bad' : 'edge'}
      d={bent(start, end, 0.12)}
      marker-end={isBad ? 'url(#arrow-bad)' : 'url(#arrow)'}
    />
  );
}
