/** What each role sends, by the mail that it received. */
export const plays = {
  writer: (mail, send) => {
    const remarks = mail.filter(({ type }) => type === 'remarks');
    const readers = ['editor', 'checker'];
    if (remarks.length === 0) send('draft', readers, 'First draft: docs/example.md.');
    else if (remarks.some(({ verdict }) => verdict === 'change'))
      send('draft', readers, 'Second draft: the example has its output now.');
    else send('published', 'user', 'docs/example.md is ready.');
  },
  editor: (_, send) => send('remarks', 'writer', 'Easy to read.', { verdict: 'good' }),
  checker: (mail, send) => {
    const isFirst = mail.at(-1)?.body.includes('First draft');
    const verdict = isFirst ? 'change' : 'good';
    send('remarks', 'writer', isFirst ? 'The example lacks its output.' : 'All of it is true.', { verdict });
  },
};
