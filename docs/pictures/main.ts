// Takes the pictures of the README and of the guides: npm run pictures. They show the company that `demo create` makes. It needs
// Chromium, pdftoppm, and a built application (npm run build:app).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DemoOutput } from '../../procedures/demo/router.ts';
import { launchChromium } from '../../test/support/app/chromium.ts';
import {
  isRunning,
  runProgram,
  startServiceProcess,
  stopServiceProcess,
} from '../../test/support/servers/service-process.ts';
import { takeReportPictures } from './report.ts';
import { takePagePictures } from './pages.ts';

const IMAGES = fileURLToPath(new URL('../images/', import.meta.url));
const NAME = 'Acme Robotics';

const dataDir = await mkdtemp(join(tmpdir(), 'pictures-'));
const service = await startServiceProcess({ DATA_DIR: dataDir });
const browser = await launchChromium();
try {
  const args = ['demo', 'create', '--company', NAME, '--server', service.url];
  const { code, stdout, stderr } = await runProgram('cli/manage.ts', args, { DATA_DIR: dataDir });
  if (code !== 0) throw new Error(stderr);
  const demo = DemoOutput.parse(JSON.parse(stdout));
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, deviceScaleFactor: 1.5 });
  const page = await context.newPage();
  await takePagePictures(page, demo, IMAGES);
  await takeReportPictures(page, { origin: demo.appUrl, images: IMAGES, folder: dataDir });
} finally {
  await browser.close();
  if (isRunning(service)) await stopServiceProcess(service);
  await rm(dataDir, { recursive: true });
}
