import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createFixture } from './create-fixture.ts';

// npm run version:fixture -- --from <checkout> [--data-dir]: creates the fixture of the version in a checkout.

const { values } = parseArgs({
  options: { from: { type: 'string', default: '.' }, 'data-dir': { type: 'boolean', default: false } },
});
console.log(await createFixture(resolve(values.from), values['data-dir']));
process.exit(); // connections of receivers may be open
