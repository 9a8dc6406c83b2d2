import { isExactNumber, type Json } from '../../kernel/json.ts';
import { faultIn, JsonFault, placeIn, walkJson, type JsonRules } from '../../kernel/json-walk.ts';

const rules: JsonRules = {
  levels: 64,
  key: (name, at, before) => {
    if (name === '__proto__') throw new JsonFault(at, 'the key `__proto__` is not allowed');
    if (before.has(name)) throw new JsonFault(at, `the key \`${name}\` occurs twice`);
  },
  number: (figure, at) => {
    if (isExactNumber(figure)) return;
    throw new JsonFault(at, `\`${figure.slice(0, 100)}\` is a number that cannot be kept exactly`);
  },
};

/**
 * The value of a JSON text that all readers understand alike: without repeated keys, `__proto__`,
 * deep nesting and numbers that cannot be kept exactly. Otherwise what is wrong, with line and
 * column.
 */
export function parseStrictly(
  text: string,
): { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string } {
  try {
    walkJson(text, rules);
    return { ok: true, value: JSON.parse(text) as Json };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { at, isSyntax, message } = error;
    const problem = isSyntax
      ? `the body is not JSON: ${faultIn(text, error)}`
      : `${message.replace(/^it/, 'the body')}: ${placeIn(text, at)}`;
    return { ok: false, problem };
  }
}
