#!/usr/bin/env node
import { requireNode } from '../server/process/require-node.js';

requireNode();

// `npx --no compliance`: npx puts the Node of node_modules in front, and prints nothing itself, so that stdout has only the result.
// The package is a workspace, because npx would first install a command of the project itself elsewhere. It does not start the
// service: npx passes no signal on, and `npm start` does.
await import('./manage.ts');
