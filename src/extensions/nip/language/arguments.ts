import type { Diagnostic, Place } from '../../../kernel/diagnostic.ts';
import { definitionWords, type DefinitionWord, type NewDefinition } from './defining.ts';
import { Source } from '../../../yaml/source.ts';

/** The line of the first tag in the text of a definition, and the column of a tag's first word. */
const [firstLine, firstColumn] = [4, 6];

/**
 * The problems of a definition's text, located in the arguments that it was made of: the argument
 * in place of the file, with line and column in its value.
 */
export function inArguments(problems: readonly Diagnostic[], asked: NewDefinition): Diagnostic[] {
  const tags = definitionWords(asked);
  return problems.map((problem) => ({ ...problem, place: problem.place && argumentAt(problem.place, tags) }));
}

/** Null: no argument contains the place. */
function argumentAt(place: Place, tags: readonly (readonly DefinitionWord[])[]): Place | null {
  let column = firstColumn;
  for (const { text, argument, before } of tags[place.line - firstLine] ?? []) {
    const written = JSON.stringify(text);
    if (place.column < column + written.length) {
      const skipped = written.slice(1, Math.max(1, place.column - column));
      const start = Math.max(0, (JSON.parse(`"${skipped}"`) as string).length - before);
      const said = text.slice(before);
      return new Source(argument, said).place(start, Math.min(said.length, start + place.length));
    }
    column += written.length + 1;
  }
  return null;
}
