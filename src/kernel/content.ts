/** The text of an accepted file, or why it has none. */
export type Content =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };
