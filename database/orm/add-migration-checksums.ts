import { addMissingChecksums } from './migration-checksums.ts';

await addMissingChecksums();
