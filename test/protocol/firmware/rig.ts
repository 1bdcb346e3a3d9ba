import { connect } from 'node:net'

/**
 * The commands of a test rig for a device in the emulator: `--power-cycle`, `--goodbye` and `--answers` of the kit. The
 * process that runs the emulator listens on the socket, and answers with the exit code.
 *   node rig.ts SOCKET power-cycle|goodbye|answers
 */
const [path = '', act = ''] = process.argv.slice(2)
/** Without an answer the rig has failed. For `answers` this means "can't tell". */
process.exitCode = 2
const { SB1_ABOUT, SB1_COMMAND, SB1_N } = process.env
const socket = connect(path).on('error', () => undefined)
socket.write(`${JSON.stringify({ act, env: { SB1_ABOUT, SB1_COMMAND, SB1_N } })}\n`)
socket.on('data', (answer: Buffer) => {
  process.exitCode = Number(`${answer}`)
  socket.end()
})
