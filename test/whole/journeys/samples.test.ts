import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../support/folder.ts'
import { connectPartner } from '../../support/http/partner-client.ts'
import { startTestHub } from '../../support/hub.ts'
import { switchOn } from '../../support/mqtt/speaker.ts'
import {
  fill,
  LANGUAGES,
  type Language,
  missing,
  readPatientSample,
  runProgram,
  type Step,
} from '../../support/samples/samples.ts'
import { until } from '../../support/wait.ts'

/** A hub, a speaker that is on, and the samples of a language, which run against them. */
async function shop(language: Language) {
  const hub = await startTestHub()
  const device = await hub.device('SHOP-0001')
  const speaker = switchOn(device, hub.mqtt)
  await speaker.next('connected')
  const credentials = await hub.partner()
  const folder = temporaryFolder()
  const values: Record<string, string> = {
    ...{ HUB: hub.http, CLIENT_ID: credentials.clientId, CLIENT_SECRET: credentials.clientSecret },
    ...{ SERIAL: device.serial, TERMINAL_ID: 'TILL*1', BANK_CODE: 'MB' },
    ...{ BILL_NUMBER: 'HD~1 (x)', AMOUNT: '50000', FT_CODE: 'FT+1' },
  }
  const run = (step: Step, changes: Record<string, string> = {}) =>
    runProgram(language, folder, {
      name: step,
      text: fill(readPatientSample(step, language), { ...values, ...changes }),
      hub: fill(readPatientSample('hub', language), { ...values, ...changes }),
    })
  /** Runs a step and answers what the hub answered it. */
  async function answer(step: Step): Promise<Record<string, unknown>> {
    const { code, stdout, stderr } = await until('a device that responds', async () => {
      const ended = await run(step)
      return !`${ended.stdout}${ended.stderr}`.includes('DEVICE_NOT_RESPONDING') && ended
    })
    expect({ step, code, stderr }).toEqual({ step, code: 0, stderr: '' })
    return Object(JSON.parse(stdout))
  }
  return { hub, speaker, credentials, values, run, answer }
}

describe.each(LANGUAGES)('the samples in $name', (language) => {
  const why = missing(language)

  it('make a payment that is heard, each with what the one before has answered', async ({ skip }) => {
    skip(why !== undefined, why)
    const { hub, speaker, credentials, values, answer } = await shop(language)

    values.TOKEN = String((await answer('get_token')).accessToken)
    expect(await answer('show_code')).toMatchObject({ deviceSerial: 'SHOP-0001', expiresIn: 300 })
    values.CODE = await until('the code on the screen', speaker.code)
    const { store } = await answer('register')
    expect(store).toMatchObject({ storeName: 'Quán Cà Phê Sáng', terminalID: 'TILL*1' })
    values.STORE_ID = String(Object(store).id)
    const record = await answer('show_qr')
    expect(await speaker.next('qr')).toMatchObject({ qr: record.qrcode, bill: 'HD~1 (x)', amount: '50000' })
    expect(await answer('report_payment')).toEqual(record)
    expect(await speaker.next('announce')).toMatchObject({ amount: '50000', bill: 'HD~1 (x)' })
    await speaker.next('played')

    const partner = await connectPartner(() => hub.http, credentials)
    const { body } = await partner.call('GET', '/payment/transactions/FT%2B1')
    expect(body).toMatchObject({ outcome: 'bill_paid', notice: 'Bàn 5: cà phê & bánh mì *mang về*' })
  })

  it('print what the hub says when it refuses, and fail', async ({ skip }) => {
    skip(why !== undefined, why)
    const { run } = await shop(language)
    const { code, stdout, stderr } = await run('show_code', { TOKEN: 'none', CLIENT_SECRET: 'none' })
    expect(code).not.toBe(0)
    const says = language.usesClient ? '40103 INVALID_CLIENT' : '"code":40101,"error":"INVALID_TOKEN"'
    expect(stdout + stderr).toContain(says)
  })
})
