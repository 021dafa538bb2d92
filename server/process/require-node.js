const MIN_MAJOR_VERSION = 24;

/**
 * Ends the process with one line if Node is too old. Called before other modules are loaded, and written for every version of Node: an
 * older one cannot load the modules that follow.
 */
export function requireNode() {
  const { node } = process.versions;
  if (Number(node.split('.')[0]) >= MIN_MAJOR_VERSION) return;
  process.stderr.write(
    `Node ${MIN_MAJOR_VERSION} or newer is needed, and this is ${node}; npm start brings its own, as does npx --no compliance\n`,
  );
  process.exit(1);
}
