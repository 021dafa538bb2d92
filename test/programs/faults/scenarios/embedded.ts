import { setTimeout as wait } from 'node:timers/promises';
import { embeddedEnvironment, withSmallDisk } from '../environment/environment.ts';
import type { EmbeddedEnvironment } from '../environment/environment.ts';
import type { SmallDisk } from '../environment/small-disk.ts';
import type { Fault } from '../runner/fault.ts';
import { DISK_FULL_MS } from './postgresql.ts';

export const secondProcess: Fault<EmbeddedEnvironment> = {
  name: 'two more processes start on one DATA_DIR, then three after a kill -9',
  environment: embeddedEnvironment,
  rounds: 2,
  async inject({ service }, { report }) {
    const holder = service.pid;
    for (const { child, output } of await Promise.all([service.startSecondProcess(), service.startSecondProcess()])) {
      if (child.exitCode !== 1) report(`a second process ended with ${child.exitCode}`);
      if (!new RegExp(String.raw`^DATA_DIR: .* is in use by process ${holder}\n$`, 'm').test(output))
        report(`a second process printed: ${output}`);
    }
    if (service.pid !== holder) report('the first process did not keep running');
    await service.kill();
    const rivals = [service.startSecondProcess(), service.startSecondProcess()];
    await service.start().catch(() => {});
    const others = await Promise.all(rivals);
    const running = others.filter(({ child }) => child.exitCode === null);
    if (running.length + Number(service.isRunning) !== 1)
      report(`${running.length + Number(service.isRunning)} processes use one DATA_DIR`);
    for (const { child } of running) {
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
    }
    await service.start();
  },
};

export const fullDiskEmbedded: Fault<EmbeddedEnvironment & { disk: SmallDisk }> = {
  name: 'the disk of DATA_DIR is full for 4 s; the service is started again',
  environment: withSmallDisk.embedded,
  rounds: 2,
  async inject({ service, disk }) {
    disk.fill();
    await wait(DISK_FULL_MS);
    disk.clear();
    await service.stop();
    await service.start();
  },
};
