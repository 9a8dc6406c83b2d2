import { useSignal } from '@preact/signals';
import { formatDuration } from '../../kernel/duration.ts';
import { oneLine } from '../../kernel/one-line.ts';
import type { LetterType, ProtocolDocument } from '../../documents/protocol.ts';
import { arrowBetween, bent, labelOf, marginOf, ring, ringBox, type Edge, type Point } from '../graph.ts';
import { ArrowMarker } from '../parts/arrow-marker.tsx';
import { Empty, Loaded, Table } from '../parts/panel.tsx';
import { RoleBox, useWidth } from '../parts/role-ring.tsx';
import { useLive } from '../state/live.ts';

/** Who may send what to whom, read when somebody opens it. */
export function Protocol() {
  const isOpen = useSignal(false);
  return (
    <details class="panel definition" onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>Who may send what to whom</summary>
      {isOpen.value && <Opened />}
    </details>
  );
}

function Opened() {
  const live = useLive<ProtocolDocument>('/protocol');
  return (
    <Loaded live={live}>
      {({ roles, types }) =>
        types.length === 0 ? (
          <Empty>The protocol has no types of messages.</Empty>
        ) : (
          <>
            <Picture names={rolesIn(roles, types)} types={types} />
            <Types types={types} />
          </>
        )
      }
    </Loaded>
  );
}

/** The roles that send or receive something, in the order of the protocol. */
function rolesIn(roles: ProtocolDocument['roles'], types: readonly LetterType[]): string[] {
  const used = new Set(types.flatMap(({ from, to }) => [...from, ...to]));
  return roles.map(({ name }) => name).filter((name) => used.has(name));
}

interface Way extends Edge {
  readonly types: readonly string[];
  /** All of them only answer. */
  readonly isAnswer: boolean;
}

/** What goes from one role to another one, together. */
function waysOf(types: readonly LetterType[]): Way[] {
  const answers = new Set(types.flatMap(({ reply }) => reply));
  const ways = new Map<string, Way>();
  for (const { name, from: senders, to: recipients } of types)
    for (const from of senders)
      for (const to of recipients) {
        if (from === to) continue;
        const known = ways.get(JSON.stringify([from, to])) ?? { from, to, types: [], isAnswer: true };
        ways.set(JSON.stringify([from, to]), {
          ...known,
          types: [...known.types, name],
          isAnswer: known.isAnswer && answers.has(name),
        });
      }
  return [...ways.values()];
}

interface PictureProps {
  readonly names: readonly string[];
  readonly types: readonly LetterType[];
}

/** How far arrows are bent, as a share of their length. */
const bend = 0.16;

/** The roles on a ring, and an arrow for what one may send to another; the table has all of it. */
function Picture({ names, types }: PictureProps) {
  const { element, width } = useWidth();
  const ways = waysOf(types);
  const drawn = Math.min(width.value, 760);
  const height = Math.max(300, names.length * (drawn < 420 ? 92 : 70));
  const box = ringBox(drawn);
  const places = ring(names, drawn, height, marginOf(box));
  const drawnWays = ways.flatMap((way) => {
    const [from, to] = [places.get(way.from), places.get(way.to)];
    if (from === undefined || to === undefined) return [];
    return [{ way, ...arrowBetween(from, to, box) }];
  });
  const label = ways.map(
    ({ from, to, types: sent }) => `${oneLine(from, 40)} sends ${sent.join(', ')} to ${oneLine(to, 40)}`,
  );
  return (
    <div ref={element} class="graph">
      {width.value > 0 && (
        <svg
          viewBox={`0 0 ${String(drawn)} ${String(height)}`}
          width={drawn}
          height={height}
          role="img"
          aria-label={label.join(', ')}
        >
          <defs>
            <ArrowMarker id="arrow-of-protocol" />
          </defs>
          <Arrows ways={drawnWays} />
          {names.map((name) => (
            <RoleBox key={name} name={name} at={places.get(name)!} box={box} />
          ))}
        </svg>
      )}
    </div>
  );
}

interface DrawnWay {
  readonly way: Way;
  readonly start: Point;
  readonly end: Point;
}

/** The labels are above all arrows. */
function Arrows({ ways }: { readonly ways: readonly DrawnWay[] }) {
  return (
    <>
      {ways.map(({ way, start, end }) => (
        <path
          key={`${way.from} ${way.to}`}
          class={way.isAnswer ? 'edge answer' : 'edge'}
          d={bent(start, end, bend)}
          marker-end="url(#arrow-of-protocol)"
        />
      ))}
      {ways.map(({ way, start, end }) => {
        const at = labelOf(start, end, bend);
        return (
          <text key={`${way.from} ${way.to}`} class="of-edge" x={at.x} y={at.y + 4} text-anchor="middle">
            <title>{way.types.join(', ')}</title>
            {oneLine(way.types[0]!, 22)}
            {way.types.length > 1 && ` +${String(way.types.length - 1)}`}
          </text>
        );
      })}
    </>
  );
}

const held: Readonly<Record<string, string>> = {
  none: '',
  thread: 'the thread',
  role: 'the sender',
};

function Types({ types }: { readonly types: readonly LetterType[] }) {
  return (
    <Table
      caption="Types of messages"
      names={['Type', 'From', 'To', 'Is answered by', 'Holds until then', '#Within', 'Ends the thread']}
    >
      <tbody>
        {types.map(({ name, from, to, to_all: toAll, reply, blocking, timeout, closes }) => (
          <tr key={name}>
            <th scope="row">{oneLine(name, 40)}</th>
            <td>{oneLine(from.join(' or '), 120)}</td>
            <td>{oneLine(to.join(toAll ? ' and ' : ' or '), 120)}</td>
            <td>{oneLine(reply.join(' or '), 120)}</td>
            <td>{held[blocking] ?? blocking}</td>
            <td class="number">{timeout !== null && formatDuration(timeout)}</td>
            <td>{closes && 'yes'}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
