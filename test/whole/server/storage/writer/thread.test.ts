import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AT, createShop } from '../../../../server/storage/shop.ts'
import { OPERATOR } from '../../../../support/actors.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { start } from '../../../../support/processes/process.ts'
import { openTestStorage, TEST_MASTER_KEY } from '../../../../support/storage.ts'

describe('the thread of the writer', () => {
  const program = (file: string) =>
    `import { startWriterThread } from '${new URL('../../../../../server/storage/writer/client.ts', import.meta.url)}'
     const thread = startWriterThread({ file: ${JSON.stringify(file)}, masterKey: Uint8Array.of(${[...TEST_MASTER_KEY]}) })
     thread.on('message', ({ answers = [] }) => {
       // What the storage does by itself at its start is reported without an answer.
       if (answers.length === 0) return
       console.log(answers[0].value)
       thread.postMessage('close')
     })
     thread.postMessage([{ callId: 1, act: 'devices.revoke', args: [${JSON.stringify(OPERATOR)}, 'SPK-1', ${AT}] }])`
  function run(text: string) {
    const script = join(temporaryFolder(), 'program.mjs')
    writeFileSync(script, text)
    return start(process.execPath, [script]).ended
  }

  it('carries out what it is told, and ends when it is told to', async () => {
    const { storage, file } = openTestStorage()
    await createShop(storage).device('SPK-1')
    expect(await run(program(file))).toMatchObject({ code: 0, stdout: 'true\n' })
    expect(await storage.devices.list()).toMatchObject([{ serial: 'SPK-1', revokedAt: AT }])
  })

  it('takes the process with it when it fails', async () => {
    const failed = await run(program(temporaryFolder()))
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("can't be opened") })
  })
})
