/*
 * The build takes this for `decode-named-character-reference`, whose table of all 2,200 names is an
 * eighth of the page. A name that is not here stays in the text as it was written.
 */

const names =
  'amp & lt < gt > quot " apos \' copy © reg ® trade ™ hellip … mdash — ndash – lsquo ‘ rsquo ’ ' +
  'ldquo “ rdquo ” laquo « raquo » bull • middot · times × divide ÷ plusmn ± minus − deg ° euro € ' +
  'pound £ yen ¥ cent ¢ sect § para ¶ larr ← uarr ↑ rarr → darr ↓ harr ↔ lArr ⇐ rArr ⇒ hArr ⇔ le ≤ ' +
  'ge ≥ ne ≠ asymp ≈ infin ∞ sum ∑ frac12 ½ frac14 ¼ frac34 ¾ sup2 ² sup3 ³ micro µ check ✓ cross ✗ ' +
  'auml ä ouml ö uuml ü Auml Ä Ouml Ö Uuml Ü szlig ß eacute é egrave è agrave à ccedil ç ntilde ñ';

const words = names.split(' ');
const characters = new Map([['nbsp', '\u00a0']]);
for (let index = 0; index < words.length; index += 2) characters.set(words[index]!, words[index + 1]!);

/** The character of a name such as `amp`; false: it is not known. */
export function decodeNamedCharacterReference(name: string): string | false {
  return characters.get(name) ?? false;
}
