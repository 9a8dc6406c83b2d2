/** Does something with each, several at once, in order. Resolves to what came of them, in the same order. */
export async function together<From, To>(
  from: readonly From[],
  most: number,
  act: (one: From) => Promise<To>,
): Promise<To[]> {
  const results: To[] = [];
  const queue = [...from.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, one] = next;
      results[index] = await act(one);
    }
  };
  await Promise.all(Array.from({ length: most }, work));
  return results;
}
