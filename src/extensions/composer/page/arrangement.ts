import { effect, signal } from '@preact/signals';
import type { Direction } from './placing.ts';

export type Side = 'text' | 'form';

interface DrawerState {
  /** `chosen`: as long as a step is open. */
  readonly shown: 'open' | 'closed' | 'chosen';
  /** It lies beside the canvas, not over it. */
  readonly isPinned: boolean;
  /** In pixels. */
  readonly width: number;
}

interface Arrangement extends Readonly<Record<Side, DrawerState>> {
  readonly direction: Direction;
  readonly hasNavigation: boolean;
}

export const widths = { least: 260, most: 1_400, step: 24 };
const name = 'mailroom.composer';

/** Below it there is no room for drawers beside the canvas, in pixels. */
export const narrow = 800;

const usual: Arrangement = {
  direction: innerWidth < narrow ? 'down' : 'right',
  hasNavigation: false,
  text: { shown: 'closed', isPinned: false, width: 560 },
  form: { shown: 'chosen', isPinned: false, width: 360 },
};

/** How a person has arranged the composer: it is the same in all workflows and after a reload. */
export const arrangement = signal<Arrangement>(arrangementOf(localStorage.getItem(name)));

effect(() => localStorage.setItem(name, JSON.stringify(arrangement.value)));

export function arrange(change: Partial<Arrangement>): void {
  arrangement.value = { ...arrangement.peek(), ...change };
}

/** Changes a drawer; its width stays between the bounds. */
export function arrangeDrawer(side: Side, change: Partial<DrawerState>): void {
  const { width, ...more } = { ...arrangement.peek()[side], ...change };
  arrange({ [side]: { ...more, width: Math.round(Math.min(widths.most, Math.max(widths.least, width))) } });
}

export function isOpen(side: Side, hasStep: boolean): boolean {
  const { shown } = arrangement.value[side];
  return shown === 'open' || (shown === 'chosen' && hasStep);
}

/** What is stored, where it can be read; the rest is as at the first visit. */
function arrangementOf(stored: string | null): Arrangement {
  const { direction, hasNavigation, text, form } = objectIn(stored);
  return {
    direction: direction === 'down' || direction === 'right' ? direction : usual.direction,
    hasNavigation: hasNavigation === true,
    text: drawerOf(text, usual.text),
    form: drawerOf(form, usual.form),
  };
}

function objectIn(stored: string | null): Partial<Record<keyof Arrangement, unknown>> {
  try {
    const value: unknown = JSON.parse(stored ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function drawerOf(stored: unknown, otherwise: DrawerState): DrawerState {
  if (typeof stored !== 'object' || stored === null) return otherwise;
  const { shown, isPinned, width } = stored as Partial<Record<keyof DrawerState, unknown>>;
  return {
    shown: (['open', 'closed', 'chosen'] as const).find((each) => each === shown) ?? otherwise.shown,
    isPinned: isPinned === true,
    width: typeof width === 'number' && width >= widths.least ? width : otherwise.width,
  };
}
