import { englishRequests } from './english-requests.ts';
import { judge, scores, type Judged, type Score } from './evaluate.ts';
import { heldOutRequests } from './held-out-requests.ts';
import { judgeReplies, replyScores } from './judge-replies.ts';
import { otherRequests } from './other-requests.ts';
import { writtenReplies } from './written-replies.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const percent = ({ right, of }: Score): string =>
  `${String(right)} of ${String(of)}${of === 0 ? '' : ` (${((right / of) * 100).toFixed(1)} %)`}`;

const print = (title: string, judged: readonly Judged[]): void => {
  const { byKind, byLanguage, unambiguous, guessed, wrongDrafts } = scores(judged);
  say(title);
  for (const [kind, score] of Object.entries({ ...byKind, ...byLanguage }))
    say(`  ${kind.padEnd(10)} ${percent(score)}`);
  say(`  unambiguous requests answered rightly: ${percent(unambiguous)}`);
  say(`  drafts where it should have asked: ${String(guessed.length)}`);
  say(`  drafts that are not the right one: ${String(wrongDrafts.length)}`);
  for (const { request, answer } of judged.filter(({ isRight }) => !isRight)) {
    const said =
      answer.kind === 'draft'
        ? JSON.stringify(answer.draft)
        : answer.kind === 'report'
          ? 'report'
          : answer.kind === 'question'
            ? answer.question
            : answer.because;
    say(
      `    ${request.language} "${request.text}": ${answer.kind} ${said} ${JSON.stringify(answer.missing)}, not ${request.right.kind}`,
    );
  }
};

const isHidden = process.argv.includes('--without-held-out');
print('Requests the grammar was made with', judge([...englishRequests, ...otherRequests]));
if (!isHidden) print('Requests held out while it was made', judge(heldOutRequests));

const printReplies = (): void => {
  const judged = judgeReplies(writtenReplies);
  const { replies, asked, followed, unguarded } = replyScores(judged);
  say(
    "Replies of a model, written by hand in models' shapes, right, wrong and hostile (none is recorded from a model)",
  );
  say(
    `  replies: ${String(replies)}, of which ${String(asked)} to requests that a model would be asked about`,
  );
  say(`  true replies that led to the right answer: ${percent(followed)}`);
  say(`  unguarded drafts: ${String(unguarded.length)}`);
  for (const { written, answer } of unguarded)
    say(
      `    ${written.kind}: "${written.request.text}" ${written.reply} ${answer.kind === 'draft' ? JSON.stringify(answer.draft) : ''}`,
    );
  for (const { written, answer } of judged.filter((one) => one.written.isTrue && !one.isRight))
    say(
      `    not helped by ${written.kind}: "${written.request.text}" ${written.reply} ${JSON.stringify(answer)}`,
    );
};
printReplies();
