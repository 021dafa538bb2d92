import { expect, test } from 'vitest';
import { forbiddenWordsIn } from './forbidden-words.ts';

test.each([
  ['A vendor is no task.', 'is no'],
  ['The parts are\n * no objects.', 'are\n * no'],
  ['The name stands in the list.', 'stands in'],
  ['The import goes on after a restart.', 'goes on'],
  ['The client shall wait.', 'shall'],
  ['The server refuses the key.', 'refuses'],
  ['A caller, unless told otherwise', 'told'],
])('%j has forbidden words', (text, word) => {
  expect(forbiddenWordsIn(text)).toEqual([{ index: text.indexOf(word), word, instead: expect.stringMatching(/\w/) }]);
});

test.each([
  'There is no task.',
  'If there\n// were no task, the list is empty.',
  'The key is no longer valid.',
  'The list is not sorted.',
  'A button turns the filter on.',
  'npm run manage -- audit verify --any-trail',
])('%j has none', (text) => {
  expect(forbiddenWordsIn(text)).toEqual([]);
});
