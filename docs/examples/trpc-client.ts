// A typed client over tRPC:
//   SERVER=http://127.0.0.1:3000 API_KEY=svc_sk_live_… npm exec -- node docs/examples/trpc-client.ts
import { createTRPCClient, httpBatchLink } from '@trpc/client';
import type { AppRouter } from '../../procedures/index.ts';

const { SERVER = 'http://127.0.0.1:3000', API_KEY = '' } = process.env;
const client = createTRPCClient<AppRouter>({
  links: [httpBatchLink({ url: `${SERVER}/trpc`, maxItems: 20, headers: { 'X-API-Key': API_KEY } })],
});

const { uniqueId } = await client.vendor.create.mutate({ name: 'Cloud Ltd', description: '<p>Hosting</p>' });
await client.vendor.update.mutate({ vendor: uniqueId, active: false });
const vendor = await client.vendor.get.query({ vendor: uniqueId });
process.stdout.write(`${vendor.name} is ${vendor.status}, by ${vendor.updatedBy.name}\n`);
