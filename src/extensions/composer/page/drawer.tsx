import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { arrangeDrawer, arrangement, isOpen, narrow, widths, type Side } from './arrangement.ts';
import type { Composer } from './model.ts';

const words = { text: 'Text', form: 'Form' } as const;

interface DrawerProps {
  readonly side: Side;
  readonly composer: Composer;
  readonly children: ComponentChildren;
}

/** On a narrow screen, a drawer that opens closes the other one, and is brought into view. */
export function useOneDrawer(composer: Composer): void {
  const { value: isStepOpen } = composer.isStepOpen;
  const open = (['text', 'form'] as const).filter((side) => isOpen(side, isStepOpen));
  const before = useRef<readonly Side[]>([]);
  useEffect(() => {
    const opened = open.find((side) => !before.current.includes(side));
    before.current = open;
    if (opened === undefined || innerWidth >= narrow) return;
    if (open.length > 1 && opened === 'form') arrangeDrawer('text', { shown: 'closed' });
    else if (open.length > 1) {
      arrangeDrawer('form', { shown: 'chosen' });
      composer.isStepOpen.value = false;
    }
    document.getElementById(`drawer-${opened}`)?.scrollIntoView({ block: 'end' });
  }, [open.join()]);
}

/** A part beside or over the canvas. What is closed stays: the text keeps its history. */
export function Drawer({ side, composer, children }: DrawerProps) {
  const { isPinned, width } = arrangement.value[side];
  const isShown = isOpen(side, composer.isStepOpen.value);
  const close = () => {
    arrangeDrawer(side, { shown: 'closed' });
    document.querySelector<HTMLElement>(`[aria-controls="drawer-${side}"]`)?.focus();
  };
  return (
    <section
      id={`drawer-${side}`}
      class={`drawer ${side}${isPinned ? ' pinned' : ''}`}
      aria-label={words[side]}
      hidden={!isShown}
      style={{ '--width': `${String(width)}px` }}
    >
      <Separator side={side} width={width} />
      <div class="row drawer-head">
        <button
          type="button"
          class="quiet"
          aria-pressed={isPinned}
          onClick={() => arrangeDrawer(side, { isPinned: !isPinned, shown: 'open' })}
        >
          {`Pin the ${side}`}
        </button>
        <button type="button" class="quiet" aria-label={`Close the ${side}`} onClick={close}>
          ×
        </button>
      </div>
      <div class="drawer-body">{children}</div>
    </section>
  );
}

/** The inner edge of a drawer: it is dragged, or moved by the arrow keys. */
function Separator({ side, width }: { readonly side: Side; readonly width: number }) {
  const start = useRef<{ readonly x: number; readonly width: number } | null>(null);
  const outwards = side === 'text' ? 1 : -1;
  const pressed = (event: KeyboardEvent) => {
    const by = { ArrowRight: outwards, ArrowLeft: -outwards, Home: -Infinity, End: Infinity };
    const way = Object.hasOwn(by, event.key) ? by[event.key as keyof typeof by] : undefined;
    if (way === undefined) return;
    event.preventDefault();
    arrangeDrawer(side, { width: width + way * widths.step });
  };
  return (
    <div
      class="splitter"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`Width of the ${side}`}
      aria-valuenow={width}
      aria-valuemin={widths.least}
      aria-valuemax={widths.most}
      aria-controls={`drawer-${side}`}
      onKeyDown={pressed}
      onPointerDown={(event) => {
        // What is shown may be narrower than what was asked for.
        const shown = event.currentTarget.parentElement?.getBoundingClientRect().width ?? width;
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { x: event.clientX, width: shown };
      }}
      onPointerMove={({ clientX }) => {
        const { current } = start;
        if (current !== null)
          arrangeDrawer(side, { width: current.width + (clientX - current.x) * outwards });
      }}
      onPointerUp={() => (start.current = null)}
      onPointerCancel={() => (start.current = null)}
    />
  );
}

/** Opens and closes a drawer. */
export function DrawerButton({ side, composer }: Omit<DrawerProps, 'children'>) {
  const hasChosen = composer.selected.value.length > 0;
  const isShown = isOpen(side, composer.isStepOpen.value);
  const toggle = () => {
    const ofStep = side === 'form' && hasChosen;
    if (!isShown && ofStep) composer.isStepOpen.value = true;
    arrangeDrawer(side, { shown: isShown ? 'closed' : ofStep ? 'chosen' : 'open' });
  };
  return (
    <button type="button" aria-expanded={isShown} aria-controls={`drawer-${side}`} onClick={toggle}>
      {words[side]}
    </button>
  );
}
