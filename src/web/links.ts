/** Where a link may lead; null: nowhere. */
export function targetOf(url: string): URL | null {
  if (!/^(?:https?:\/\/|mailto:)/i.test(url) || !URL.canParse(url)) return null;
  return new URL(url);
}
