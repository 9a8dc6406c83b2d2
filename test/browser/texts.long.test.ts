import { basename } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { browserFixture, expectAccessible } from './browser.ts';

/* Texts are drawn as they were meant, and none of them is more than a text. */

const bed = browserFixture();

const meant = `# The totals

### A level is left out

Both *must* be **rounded**, as \`total()\` does:

- [x] read
- [ ] write
  1. first
  2. second

> As said before.

| Name | Price |
| ---- | ----: |
| pen  |     3 |

\`\`\`ts
const a = "<b>";
\`\`\`

See [the docs](https://example.com/a), https://example.org/ and [mail](mailto:ada@example.com).

[seen at https://example.net/ by ada@example.net]
`;

const attacks = `<img src=x onerror="document.title=1"><script>document.title=2</script>

![pixel](https://evil.example/pixel.png) ![data](data:image/png;base64,AAAA)

[click](javascript:document.title=3) [data](data:text/html,x) [up](//evil.example) [in](/api/v1/status)

[https://good.example](https://evil.example/) [\u202etxt.exe](https://evil.example/rtl)

[ref]: javascript:document.title=4
[ref] ![ref] [^1]

[^1]: A note with <iframe src="https://evil.example"></iframe>

&lt;img src=x&gt; &#x202e; <javascript:alert(1)> <https://evil.example/"onmouseover="x>

${'> '.repeat(7)}deep
`;

/** Sends texts to a role, each by its subject. */
async function send(texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [subject, text] of Object.entries(texts))
    await bed.fixture.project.run(['send', 'writer', '--subject', subject, '--message', text]);
}

async function open(page: Page, subject: string): Promise<void> {
  await page.evaluate(() => {
    location.hash = '#/threads';
  });
  await page.getByRole('link', { name: new RegExp(`^${subject} `) }).click();
  await page.getByRole('heading', { level: 2, name: subject }).waitFor();
}

test('Markdown is drawn, its attacks are text, and a long text folds', async () => {
  const { fixture } = bed;
  await fixture.work();
  const words = 'Many words of no weight. '.repeat(4_000);
  await send({
    Meant: meant,
    Attacks: attacks,
    Deep: '>'.repeat(10_000),
    Long: `# Begin\n\n${words}The end`,
  });
  const page = await fixture.open((await fixture.serve()).address);
  page.setDefaultTimeout(20_000);

  await open(page, 'Meant');
  await page.getByRole('heading', { level: 3, name: 'The totals' }).waitFor();
  await page.getByRole('heading', { level: 4, name: 'A level is left out' }).waitFor();

  const drawn = page.locator('.markdown').first();
  expect(await drawn.locator('strong, em, del, blockquote, th, li.task, pre.code').count()).toBe(8);
  expect(
    await drawn
      .locator('a')
      .evaluateAll((links) =>
        links.map((each) => [each.textContent, each.getAttribute('href'), each.getAttribute('rel')]),
      ),
  ).toEqual([
    ['the docs', 'https://example.com/a', 'noopener noreferrer'],
    ['https://example.org/', 'https://example.org/', 'noopener noreferrer'],
    ['mail', 'mailto:ada@example.com', 'noopener noreferrer'],
    ['https://example.net/', 'https://example.net/', 'noopener noreferrer'],
    ['ada@example.net', 'mailto:ada@example.net', 'noopener noreferrer'],
  ]);
  await expectAccessible(page, 'Markdown');
  await page.getByRole('button', { name: 'Source' }).first().click();
  await page.getByText('### A level is left out').waitFor();

  await open(page, 'Attacks');

  expect(await page.locator('main').locator('img, script, iframe, object, embed, style').count()).toBe(0);
  const targets = await page
    .locator('.markdown a')
    .evaluateAll((links) => links.map((each) => (each as HTMLAnchorElement).protocol));
  expect(new Set(targets)).toEqual(new Set(['https:']));
  expect(await page.locator('.markdown').first().innerText()).toContain('(https://evil.example/)');
  expect(await page.locator('.markdown').first().innerText()).toContain('\\u202etxt.exe');
  expect(await page.title()).toBe(`Attacks · ${basename(fixture.project.root)}`);
  await expectAccessible(page, 'attacks');

  await open(page, 'Deep');
  await page.getByText('>>>>>>>>').first().waitFor();

  await open(page, 'Long');
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  expect(height).toBeLessThan(3_000);
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('The end').waitFor();
  expect(fixture.faults).toEqual([]);
});
