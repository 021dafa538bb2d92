import { Database } from '../../../database/database.ts';

// Preloaded module of a service: kills the process, with SIGKILL, before or after it runs a statement. The point is the environment
// variable KILL_POINT, or the last message to the process: `before file.take`, `after transaction`.

let point = process.env['KILL_POINT'];
process.on('message', (message: string) => (point = message));
process.channel?.unref();

const reach = (reached: string): void => {
  if (reached === point) process.kill(process.pid, 'SIGKILL');
};

const { start } = Object.getOwnPropertyDescriptors(Database.prototype);
Object.defineProperty(Database.prototype, 'start', {
  ...start,
  value(this: Database) {
    this.observe((statement) => {
      reach(`before ${statement}`);
      return (error) => (error === undefined ? reach(`after ${statement}`) : undefined);
    });
    return start.value?.call(this);
  },
});
