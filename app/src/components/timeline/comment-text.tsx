import { Fragment, useCallback } from 'react';
import { SafeHtml } from '../editor/safe-html.tsx';
import type { Comment } from './comments.ts';

/** The text of a comment. The names of the members whom it mentions stand out. */
export function CommentText({ comment: { text, mentions } }: { comment: Pick<Comment, 'text' | 'mentions'> }) {
  const names = mentions.map(({ name }) => `@${name}`).join('\n');
  const renderText = useCallback((part: string) => withMentions(part, names === '' ? [] : names.split('\n')), [names]);
  return <SafeHtml html={text} renderText={renderText} />;
}

function withMentions(text: string, [name, ...others]: readonly string[]) {
  if (name === undefined) return text;
  return text.split(name).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <span className="mention">{name}</span>}
      {withMentions(part, others)}
    </Fragment>
  ));
}
