import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

/** Makes links to files that are no pages (schemas, examples, the licence) lead into the repository. */
export function linksToRepository(markdown: MarkdownRenderer, repository: string): void {
  const render = markdown.renderer.rules['link_open'];
  markdown.renderer.rules['link_open'] = (tokens, index, options, env, self) => {
    const token = tokens[index];
    const target = token?.attrGet('href') ?? '';
    const [path = ''] = target.split('#');
    if (path !== '' && !/^[a-z]+:/i.test(target) && !path.endsWith('.md')) {
      const from = posix.dirname(String(env.relativePath));
      token?.attrSet('href', `${repository}/tree/main/${posix.join(from, path)}`);
    }
    return render?.(tokens, index, options, env, self) ?? self.renderToken(tokens, index, options);
  };
}

/** Draws the fences of the language mermaid; all others stay what they are. */
export function drawings(markdown: MarkdownRenderer): void {
  const render = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
    const { info = '', content = '' } = tokens[index] ?? {};
    if (info.trim() === 'mermaid') return `<Drawing source="${encodeURIComponent(content)}" />`;
    return render?.(tokens, index, options, env, self) ?? '';
  };
}

/** Shows the braces of expressions, which Vue would evaluate. */
export function bracesAsText({ renderer }: MarkdownRenderer): void {
  for (const rule of ['text', 'code_inline', 'code_block'] as const) {
    const render = renderer.rules[rule];
    renderer.rules[rule] = (...args) => (render?.(...args) ?? '').replaceAll('{{', '&#123;&#123;');
  }
}
