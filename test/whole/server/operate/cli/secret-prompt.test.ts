import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../../support/folder.ts'
import { startTestHub } from '../../../../support/hub.ts'
import { missingTerminal, startOnTerminal } from '../../../../support/processes/terminal.ts'

const CTRL_C = '\x03'
const CTRL_D = '\x04'

/** A hub elsewhere, and `hub listen` on a terminal without the secret of its partner. */
async function setUp() {
  const hub = await startTestHub()
  const { clientId, clientSecret } = await hub.partner()
  const folder = temporaryFolder()
  const env = { XDG_STATE_HOME: folder, HUB_DATA_DIR: join(folder, 'none') }
  const command = ['server/operate/cli/main.ts', 'listen', '--client', clientId, '--url', hub.http]
  const terminal = startOnTerminal([process.execPath, ...command], env)
  await terminal.untilSeen(`The client secret of ${clientId}: `)
  return { terminal, clientId, clientSecret }
}

it.skipIf(missingTerminal())(
  'hub listen asks for the secret, shows nothing of it, and Ctrl+C ends the listening',
  async () => {
    const { terminal, clientId, clientSecret } = await setUp()
    // A person corrects a mistake, and pastes the rest.
    terminal.type(`x\x7f${clientSecret.slice(0, 10)}`)
    terminal.type(`${clientSecret.slice(10)}\r`)
    await terminal.untilSeen(`Listening to ${clientId}; Ctrl+C ends it.`)
    terminal.type(CTRL_C)
    const { seen, code, echoes } = await terminal.ended()
    expect({ code, echoes }).toEqual({ code: 0, echoes: true })
    expect(seen.split('Listening to')[0]).toBe(`The client secret of ${clientId}: \r\n`)
    expect(seen).not.toContain('sbs_')
  },
)

it.skipIf(missingTerminal()).each([
  ['Ctrl+C', `sbs_half${CTRL_C}`],
  ['Ctrl+D', CTRL_D],
])(
  '%s at the question ends it with a sentence, and the terminal shows again what is typed',
  async (_, keys) => {
    const { terminal, clientId } = await setUp()
    terminal.type(keys)
    const { seen, code, echoes } = await terminal.ended()
    expect({ code, echoes }).toEqual({ code: 1, echoes: true })
    expect(seen.split('ended with')[0]).toBe(`The client secret of ${clientId}: \r\nNo secret was given.\r\n`)
  },
)

it.skipIf(missingTerminal())('a wrong secret is refused with a sentence, and is not shown', async () => {
  const { terminal, clientId } = await setUp()
  terminal.type('sbs_wrong\r')
  const { seen, code } = await terminal.ended()
  expect(code).toBe(1)
  expect(seen).toContain(
    `The client secret of ${clientId}: \r\nThe hub refuses: The client id or client secret`,
  )
  expect(seen).not.toContain('sbs_wrong')
})
