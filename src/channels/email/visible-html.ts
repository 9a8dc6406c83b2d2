import { DomUtils, parseDocument } from 'htmlparser2';

/** HTML without what a reader does not see: it is not what the person has written. */
export function visibleHtml(html: string): string {
  const document = parseDocument(html);
  const rules = DomUtils.getElementsByTagName('style', document).flatMap((style) =>
    hidingSelectors(DomUtils.textContent(style)),
  );
  const hidden = DomUtils.filter(
    (node) => DomUtils.getName(node as never) !== undefined && isHidden(node as never, rules),
    document,
  );
  for (const node of hidden) DomUtils.removeElement(node);
  return DomUtils.getOuterHTML(document);
}

interface HtmlElement {
  readonly name: string;
  readonly attribs?: Readonly<Record<string, string>>;
}

function isHidden({ name, attribs }: HtmlElement, rules: readonly string[]): boolean {
  if (attribs === undefined) return false;
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
