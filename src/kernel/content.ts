/** What an accepted file turned out to be. */
export type Content =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };
