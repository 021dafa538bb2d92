import type { Fault } from '../runner/fault.ts';
import { embeddedEnvironment } from '../environment/environment.ts';
import type { EmbeddedEnvironment } from '../environment/environment.ts';

export const secondProcess: Fault<EmbeddedEnvironment> = {
  name: 'two more processes start on one DATA_DIR, then three after a kill -9',
  environment: embeddedEnvironment,
  rounds: 2,
  async inject({ service }, { report: found }) {
    const holder = service.pid;
    for (const { child, output } of await Promise.all([service.startSecondProcess(), service.startSecondProcess()])) {
      if (child.exitCode !== 1) found(`a second process ended with ${child.exitCode}`);
      if (!new RegExp(String.raw`^DATA_DIR: .* is in use by process ${holder}\n$`, 'm').test(output))
        found(`a second process said: ${output}`);
    }
    if (service.pid !== holder) found('the first process did not go on');
    await service.kill();
    const rivals = [service.startSecondProcess(), service.startSecondProcess()];
    await service.start().catch(() => {});
    const others = await Promise.all(rivals);
    const running = others.filter(({ child }) => child.exitCode === null);
    if (running.length + Number(service.isRunning) !== 1)
      found(`${running.length + Number(service.isRunning)} processes have one DATA_DIR`);
    for (const { child } of running) {
      child.kill('SIGKILL');
      await new Promise((ended) => child.once('exit', ended));
    }
    await service.start();
  },
};
