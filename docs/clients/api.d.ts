// In this repository, the types of the client package. Your project generates this file.
export type * from '../../clients/typescript/src/api.ts';
