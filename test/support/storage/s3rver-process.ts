import S3rver from '@20minutes/s3rver';

// An S3 server in a process of its own: its tokens of lists need an option of Node.js for old ciphers.

const [directory, bucket = ''] = process.argv.slice(2);
const configureBuckets = [{ name: bucket, configs: [] }];
const { port } = await new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets }).run();
process.send?.(port);
process.on('disconnect', () => process.exit());
