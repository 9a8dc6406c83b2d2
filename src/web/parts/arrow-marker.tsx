/** The end of an edge, for `marker-end`. */
export function ArrowMarker({ id }: { readonly id: string }) {
  return (
    <marker id={id} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
      <path d="M0 0 8 4 0 8z" />
    </marker>
  );
}
