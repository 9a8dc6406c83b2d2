/* The one place that moves the focus to a title, after a person has chosen another place. */

/** The title that has got the focus; null: the first place is shown still. */
let given: HTMLElement | null = null;

/** Gives the focus to the title of what was chosen, else to that of the view. */
export function focusTitle(): void {
  const title =
    document.querySelector<HTMLElement>('main [data-asked]') ??
    document.querySelector<HTMLElement>('main h1');
  title?.focus({ preventScroll: true });
  given = title;
}

/** A title that loads after its place takes the focus, unless a person has moved it meanwhile. */
export function titleArrived(): void {
  const { activeElement: focused } = document;
  if (given !== null && (focused === given || focused === document.body)) focusTitle();
}
