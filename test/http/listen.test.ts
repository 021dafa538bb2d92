import { expect, onTestFinished, test } from 'vitest';
import { HttpServer } from '../../server/http/server.ts';

test('a server at :: serves IPv4 and IPv6, and its URL is one that every machine reaches', async () => {
  const server = new HttpServer((_request, response) => void response.end('served'));
  const url = await server.listen({ host: '::', port: 0 });
  onTestFinished(() => server.stop());
  const { port } = new URL(url);
  expect(url).toBe(`http://127.0.0.1:${port}`);
  for (const host of ['127.0.0.1', '[::1]'])
    expect(await (await fetch(`http://${host}:${port}`)).text()).toBe('served');
});
