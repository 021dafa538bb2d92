import { expect, test } from 'vitest';
import { isSimpleHtml } from '../../entities/fields/sanitize-html.ts';

// Recognition of simple HTML. sanitize-html.test.ts checks that the sanitizer does not change simple HTML.

test.for([
  '',
  'plain',
  '<p>Hosting and <b>backups</b>,<br>reviewed.</p>',
  '<p></p>',
  '<p>x</p><p>y</p> <ul></ul>',
  '<ul><li>a</li><li><em>b</em></li></ul>x',
  '<ol><li>a</li></ol>',
  '<b><i><s><u><em><strong><code><sub><sup>x</sup></sub></code></strong></em></u></s></i></b>',
  '"quotes", \'so\'; ü € 😀\n',
  '<br><br>',
])('%s is simple', (html) => expect(isSimpleHtml(html)).toBe(true));

test.for([
  '<p>',
  'x<p>',
  '</p>',
  '<b></i>',
  '<b><i></b></i>',
  '<b>x</b></b>',
  '<p class="x">y</p>',
  '<p><p>x</p></p>',
  '<b><p>x</p></b>',
  '<p><ul></ul></p>',
  '<ul><ol></ol></ul>',
  '<li>x</li>',
  '<p><li>x</li></p>',
  '<b><li>x</li></b>',
  '<ul><li><li>x</li></li></ul>',
  '<ul><b>x</b></ul>',
  '<ol><b>x</b></ol>',
  '<ol><li><ul></ul></li></ol>',
  '<b><ul></ul></b>',
  '<b><ol></ol></b>',
  'a & b',
  '&amp;',
  'a > b',
  '<P>x</P>',
  '<script></script>',
  '<div></div>',
  '<p >x</p>',
  '<br/>',
  '</br>',
  '<',
  'x<',
  '<>',
  'x<b',
  '</>',
])('%s is not simple', (html) => expect(isSimpleHtml(html)).toBe(false));
