import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { contents } from './contents.ts';
import { bracesAsText, drawings, linksToRepository } from './markdown.ts';

const repository = 'https://github.com/mailroom-dev/mailroom';

/** The site of the documentation: scripts/docs.mjs puts its pages into dist/pages and builds it. */
export default defineConfig({
  title: 'Mailroom',
  description: 'Hands work between headless coding agents by files',
  base: process.env['SITE_BASE'] ?? '/',
  srcDir: 'dist/pages',
  outDir: 'dist/site',
  cacheDir: 'dist/cache',
  rewrites: { 'README.md': 'index.md', 'docs/README.md': 'docs/index.md' },
  markdown: {
    html: false,
    config: (markdown) => {
      linksToRepository(markdown, repository);
      drawings(markdown);
      bracesAsText(markdown);
    },
  },
  // Mermaid is one large chunk; only pages with a drawing load it.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    nav: [
      { text: 'Tutorial', link: '/docs/tutorial' },
      { text: 'Commands', link: '/docs/commands' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
    sidebar: contents(readFileSync(new URL('../../docs/README.md', import.meta.url), 'utf8')),
    outline: 'deep',
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }],
    editLink: { pattern: `${repository}/edit/main/:path` },
  },
});
