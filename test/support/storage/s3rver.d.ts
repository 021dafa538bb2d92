declare module '@20minutes/s3rver' {
  /** The parts of the package that the tests use. It has no types. */
  export default class S3rver {
    constructor(options: {
      port: number;
      address: string;
      silent: boolean;
      directory: string | undefined;
      configureBuckets: { name: string; configs: string[] }[];
    });
    run(): Promise<{ port: number }>;
  }
}
