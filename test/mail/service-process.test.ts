import { expect, test } from 'vitest';
import { decodeMail, startMailServer } from '../support/servers/mail-server.ts';
import { runProgram, startServiceProcess, stopServiceProcess } from '../support/servers/service-process.ts';
import { temporaryFolder } from '../support/setup/temporary-folder.ts';

test(
  'a service with SMTP_URL mails an invitation, shows its link to nobody, and loses it neither in a kill nor in a restart',
  { timeout: 180_000 },
  async () => {
    const server = await startMailServer();
    const settings = {
      DATA_DIR: await temporaryFolder(),
      SMTP_URL: server.url,
      SMTP_FROM: 'Compliance <noreply@example.com>',
      APP_URL: 'https://compliance.example.com',
    };
    const invite = async (url: string, email: string) => {
      const args = ['member', 'invite', '--email', email, '--role', 'editor', '--server', url];
      const { code, stdout } = await runProgram('cli/manage.ts', args, { DATA_DIR: settings.DATA_DIR });
      expect([code, JSON.parse(stdout)]).toMatchObject([0, { link: null }]);
    };
    const recipients = () => server.received.flatMap(({ to }) => to);

    const service = await startServiceProcess(settings);
    await invite(service.url, 'Ann@Example.com');
    await expect.poll(recipients, { timeout: 20_000 }).toEqual(['ann@example.com']); // that of the admin of Demo is printed
    const [mail] = server.received.map(decodeMail);
    expect(mail?.from).toBe('Compliance <noreply@example.com>');
    const [link = ''] = mail?.text.match(/^https:\/\/compliance\.example\.com\/invitation\/[\w-]{43}$/m) ?? [];
    expect(link).not.toBe('');
    expect(service.output).not.toContain(link);
    await invite(service.url, 'bob@example.com');
    await stopServiceProcess(service, 'SIGKILL');

    const second = await startServiceProcess(settings);
    await invite(second.url, 'cem@example.com');
    expect(await stopServiceProcess(second)).toBe(0);
    const third = await startServiceProcess(settings);
    // A mail that the kill interrupted waits for the end of its lease, and may come twice.
    const expected = new Set(['ann@example.com', 'bob@example.com', 'cem@example.com']);
    await expect.poll(() => new Set(recipients()), { timeout: 90_000 }).toEqual(expected);
    expect(await stopServiceProcess(third)).toBe(0);
  },
);
