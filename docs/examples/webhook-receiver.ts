// Receives webhooks: SECRET=whsec_… npm exec -- node docs/examples/webhook-receiver.ts
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { WebhookError, verifyWebhook } from '../../clients/typescript/src/index.ts'; // '@compliance/client'

const { SECRET = '', PORT = '4000' } = process.env;
const processed = new Set<unknown>(); // better: a unique column, written in the transaction of your own change
const statusOf = (error: unknown) => (error instanceof WebhookError ? 400 : 500);

createServer((request, response) => {
  const receive = async () => {
    const id = request.headers['webhook-id'];
    const { sequence, type, data } = await verifyWebhook(await buffer(request), request.headers, SECRET);
    const subject = 'resource' in data ? data.resource.uniqueId : data.hash; // a checkpoint has no resource
    if (!processed.has(id)) process.stdout.write(`${sequence} ${type} ${subject}\n`);
    processed.add(id);
    return 204;
  };
  void receive()
    .catch(statusOf)
    .then((status) => response.writeHead(status).end());
}).listen(Number(PORT));
