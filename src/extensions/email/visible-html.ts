import { parseDocument } from 'htmlparser2';

/** A node as the parser makes it: an element, or text. */
interface HtmlNode {
  readonly type: string;
  readonly name?: string;
  readonly attribs?: Readonly<Record<string, string>>;
  readonly children?: readonly HtmlNode[];
  readonly data?: string;
}

/** HTML without what a reader does not see: it is not what the person has written. */
export function visibleHtml(html: string): string {
  const { children } = parseDocument(html) as HtmlNode;
  return visible(children ?? [], hidingSelectors(sheetsIn(children ?? [])));
}

/** The text of all style sheets. */
function sheetsIn(nodes: readonly HtmlNode[]): string {
  return nodes
    .map(({ type, data, children = [] }) =>
      type === 'style'
        ? children.map((each) => each.data ?? '').join('')
        : data === undefined
          ? sheetsIn(children)
          : '',
    )
    .join('\n');
}

/** Elements without an end. */
const childless = new Set(['area', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'wbr']);

function visible(nodes: readonly HtmlNode[], rules: readonly string[]): string {
  return nodes
    .map(({ type, name, attribs = {}, children = [], data = '' }) => {
      if (type === 'text') return escaped(data);
      // Scripts and style sheets are not tags.
      if (name === undefined || type !== 'tag' || isHidden({ name, attribs }, rules)) return '';
      const given = Object.entries(attribs).map(([key, value]) => ` ${key}="${escaped(value)}"`);
      const start = `<${name}${given.join('')}>`;
      return childless.has(name) ? start : `${start}${visible(children, rules)}</${name}>`;
    })
    .join('');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

interface HtmlElement {
  readonly name: string;
  readonly attribs: Readonly<Record<string, string>>;
}

function isHidden({ name, attribs }: HtmlElement, rules: readonly string[]): boolean {
  const { hidden, style = '', class: classes = '', id = '' } = attribs;
  if (hidden !== undefined || ['head', 'template'].includes(name)) return true;
  const selectors = [name, `#${id}`, ...classes.split(/\s+/).flatMap((one) => [`.${one}`, `${name}.${one}`])];
  return selectors.some((selector) => rules.includes(selector.toLowerCase())) || hides(style);
}

/** The simple selectors of a style sheet whose elements are not shown. */
function hidingSelectors(sheet: string): string[] {
  const rules = sheet.replaceAll(/\/\*[\s\S]*?\*\//g, ' ').matchAll(/([^{};]+)\{([^{}]*)\}/g);
  return [...rules].flatMap(([, selectors = '', style = '']) =>
    hides(style) ? selectors.split(',').map((selector) => selector.trim().toLowerCase()) : [],
  );
}

/** Whether declarations of CSS hide what they are for. */
function hides(style: string): boolean {
  const plain = style
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\\([\da-f]{1,6})\s?/gi, (_, code: string) => {
      const point = Number.parseInt(code, 16);
      return point <= 0x10_ff_ff ? String.fromCodePoint(point) : '';
    })
    .toLowerCase();
  const values = new Map<string, string>();
  for (const declaration of plain.split(';')) {
    const at = declaration.indexOf(':');
    const value = declaration.slice(at + 1).replace('!important', '');
    if (at > 0) values.set(declaration.slice(0, at).trim(), value.trim());
  }
  const is = (name: string, pattern: RegExp) => values.has(name) && pattern.test(values.get(name) ?? '');
  const color = values.get('color');
  const behind = values.get('background-color') ?? values.get('background');
  return (
    is('display', /^none$/) ||
    is('visibility', /^(?:hidden|collapse)$/) ||
    is('mso-hide', /^all$/) ||
    is('opacity', zero) ||
    is('font-size', zero) ||
    is('font-size', tiny) ||
    is('font', /(?:^|\s)0(?:\.0+)?(?:[a-z]+|%)?(?:\s|\/|$)/) ||
    (['height', 'max-height', 'width', 'max-width'].some((name) => is(name, zero) || is(name, tiny)) &&
      ['overflow', 'overflow-x', 'overflow-y'].some((name) => is(name, /hidden|clip/))) ||
    ['left', 'top', 'text-indent', 'margin-left'].some((name) => is(name, /^-\d{3,}/)) ||
    is('clip', /^rect\(\s*0/) ||
    is('color', /^(?:transparent$|rgba\(.*[,/]\s*0(?:\.0+)?%?\s*\)$)/) ||
    (color !== undefined && color === behind)
  );
}

const zero = /^(?:0+(?:\.0*)?|\.0+)(?:[a-z]+|%)?$/;
/** Too small to be read. */
const tiny = /^(?:0*\.\d+|0*1(?:\.0+)?)(?:px|pt)$/;
