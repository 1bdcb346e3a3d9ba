/**
 * Ends the process with one sentence when it runs on an older Node.js. The storage engine is built for the newer one,
 * and crashes an older one without a word. Editors often start Vitest with the Node.js of the system.
 */
export function requireNode(major: number): void {
  const running = process.versions.node
  if (Number.parseInt(running, 10) >= major) return
  process.stderr.write(
    `The tests need Node.js ${major}, and this is ${running}: run \`npm test\`, or put node_modules/.bin first on PATH.\n`,
  )
  process.exit(1)
}
