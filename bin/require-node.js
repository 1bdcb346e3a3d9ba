// Plain JavaScript that Node.js 20 understands, loaded before a program. An older Node.js can't read the TypeScript, and
// would end with the trace of an internal error.
const NEEDED = 24

if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(
    `Soundbox Hub needs Node.js ${NEEDED}, and this is ${process.versions.node}: install again without --omit=optional, which brings it, or put Node.js ${NEEDED} first on PATH.\n`,
  )
  process.exit(1)
}
