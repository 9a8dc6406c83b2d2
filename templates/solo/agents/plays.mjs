/** What each role sends, by the mail that it received. */
export const plays = {
  reviewer: (mail, send) => {
    const answered = mail.find(({ type }) => type === 'answer');
    if (answered === undefined) send('question', 'user', 'Which part matters most to you?');
    else send('review', 'user', 'I read all of it and found nothing wrong.', { verdict: 'approved' });
  },
};
