import { weakness } from '../../kernel/mask.ts';

/**
 * A strong secret as programs print parts of it: the whole, without the blanks around it, and each
 * of its lines that is strong itself.
 */
export function partsOf(secret: string): string[] {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  const parts = lines.length === 1 ? [] : lines.filter((line) => weakness(line) === null);
  return [secret, secret.trim(), ...parts];
}

/** Each secret verbatim and as it appears in JSON: quoted, or in a string that is quoted again. */
export function jsonSpellings(secrets: readonly string[]): string[] {
  const spellings = secrets.flatMap((secret) => {
    const quoted = [inJson(secret), inAscii(inJson(secret)), inJson(secret).replaceAll('/', String.raw`\/`)];
    return [secret, ...quoted, ...quoted.map((text) => inJson(text))];
  });
  return distinct(spellings);
}

/** The same, and as it appears in base64, URLs, XML and quoted for a shell. */
export function allSpellings(secrets: readonly string[]): string[] {
  return distinct([
    ...jsonSpellings(secrets),
    ...secrets.flatMap((secret) => [
      ...inBase64(secret),
      ...inUrl(secret),
      ...inXml(secret),
      ...inShell(secret),
    ]),
  ]);
}

function distinct(spellings: readonly string[]): string[] {
  return [...new Set(spellings)].filter((spelling) => spelling !== '');
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function inAscii(json: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replaceAll(/[\u0080-\uffff]/g, escaped);
}

/** So many characters of base64 are masked wherever it is broken into lines of whole groups. */
const unbroken = 20;

/**
 * The characters that do not depend on what stands before and after the secret, for each of the
 * three ways in which three bytes become four characters: `user:token` is one text to base64.
 */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const whole = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return encoded.slice([0, 2, 3][before], Math.floor(((before + bytes.length) * 8) / 6));
  });
  const parts = whole.flatMap((encoded, before) =>
    Array.from({ length: Math.floor(encoded.length / 4) }, (_, group) => {
      const start = group * 4 + [0, 2, 1][before]!;
      return encoded.slice(start, start + unbroken);
    }).filter(({ length }) => length === unbroken),
  );
  return [...whole, ...parts, ...whole.map((each) => each.replaceAll('+', '-').replaceAll('/', '_'))];
}

/**
 * What is not escaped: everywhere, by Python, in forms, by `encodeURIComponent`, by Go in paths, in
 * the user names, the paths and the queries of WHATWG, by `encodeURI`.
 */
const keptInUrls = [
  /[\w.~-]/,
  /[\w.~/-]/,
  /[\w.*-]/,
  /[\w.~!'()*-]/,
  /[\w.~$&+=:@-]/,
  /[\w.~!$%&'()*+,-]/,
  /[^"#<>?^`{}]/,
  /[^"#<>]/,
  /[\w.~!'()*;/?:@&=+$,#-]/,
];

function inUrl(secret: string): string[] {
  const escaped = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  const spellings = keptInUrls.map((kept) =>
    [...Buffer.from(secret)]
      .map((byte) => {
        const isKept = byte > 0x20 && byte < 0x7f && kept.test(String.fromCharCode(byte));
        return isKept ? String.fromCharCode(byte) : escaped(byte);
      })
      .join(''),
  );
  const forms = [...spellings, ...spellings.map((each) => each.replaceAll('%20', '+'))];
  return [...forms, ...forms.map((each) => each.replaceAll(/%../g, (code) => code.toLowerCase()))];
}

function inXml(secret: string): string[] {
  const inText = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const inQuotes = inText.replaceAll('"', '&quot;');
  const marks = ['&#39;', '&#x27;', '&apos;'].map((mark) => inQuotes.replaceAll("'", mark));
  return [inText, inQuotes, ...marks, inText.replaceAll('"', '&#34;').replaceAll("'", '&#39;')];
}

/** With the letters that stand for them in `$'…'`. */
const controls = '\u0007\b\t\n\u000b\f\r\u001b';
const controlLetters = 'abtnvfrE';

/** Within single quotes (two ways), double quotes, `$'…'`, and with backslashes. */
function inShell(secret: string): string[] {
  const octal = (byte: number) => `\\${byte.toString(8).padStart(3, '0')}`;
  const ansi = secret
    .replaceAll(/['\\]/g, String.raw`\$&`)
    // eslint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001f\u007f]/g, (each) => {
      const name = controlLetters[controls.indexOf(each)];
      return name === undefined ? octal(each.charCodeAt(0)) : `\\${name}`;
    });
  const ascii = ansi.replaceAll(/\P{ASCII}+/gu, (each) => [...Buffer.from(each)].map(octal).join(''));
  return [
    secret.replaceAll("'", String.raw`'\''`),
    secret.replaceAll("'", `'"'"'`),
    secret.replaceAll(/["$`\\]/g, String.raw`\$&`),
    ansi,
    ascii,
    secret.replaceAll(/[^\w@%+=:./\u0080-\uffff-]/g, String.raw`\$&`),
    secret.replaceAll(/[^\w@%+=:,./\u0080-\uffff-]/g, String.raw`\$&`),
  ];
}
