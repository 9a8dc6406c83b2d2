import { MailroomError } from '../../kernel/errors.ts';
import { readDocument } from '../../languages/shared/document.ts';
import { asJson, asYaml, formatOf, hasComments, type Format } from '../../yaml/edit/convert.ts';
import { isSame } from '../../yaml/edit/operation.ts';
import { ProblemsError } from '../../project/definition/problems.ts';
import type { ConvertedDocument } from '../../documents/workflows.ts';

export { formats } from '../../yaml/edit/convert.ts';

/**
 * Converts between YAML and JSON; `from` null: as the text looks. Text that is in the format
 * already stays as it is. Throws all errors of the text, and `E_VALUE` where it is not in the given
 * format.
 */
export function convertText(text: string, from: Format | null, to: Format): ConvertedDocument {
  const read = readDocument(text, 'text');
  if (!read.ok) throw new ProblemsError(read.problems);
  const found = formatOf(text);
  if (from === 'json' && found !== 'json') throw new MailroomError('E_VALUE', 'the text is not JSON');
  const has = found === 'yaml' && hasComments(text);
  const result = (converted: string, comments: ConvertedDocument['comments']): ConvertedDocument => ({
    schema: 1,
    text: converted,
    from: found,
    to,
    comments: has ? comments : 'none',
  });
  if (found === to) return result(text, 'kept');
  const converted = to === 'json' ? asJson(read.value) : asYaml(read.value);
  const again = readDocument(converted, 'text');
  const { value } = read.value;
  const isTheSame =
    again.ok &&
    isSame(again.value.value, value) &&
    JSON.stringify(again.value.value) === JSON.stringify(value);
  if (!isTheSame) throw new MailroomError('E_VALUE', `this text cannot be written as ${to}`);
  return result(converted, 'lost');
}
