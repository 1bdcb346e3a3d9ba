import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../support/folder.ts'
import { hubCommand } from '../../../support/hub-command.ts'

beforeEach(() => {
  vi.stubEnv('HUB_DATA_DIR', temporaryFolder())
  vi.stubEnv('TZ', 'Asia/Ho_Chi_Minh')
})

afterEach(() => {
  vi.unstubAllEnvs()
})

/** Runs a command as on a terminal, in a zone of the machine. */
function onTerminal(...words: string[]) {
  process.env.TZ = 'Asia/Ho_Chi_Minh'
  return hubCommand(words, { onTerminal: true })
}

it("writes times in the machine's zone, or in that of --tz, wherever the option stands", async () => {
  await onTerminal('partner', 'create', '--name', 'Acme')
  const [machine, behind, before] = [
    await onTerminal('partner', 'list'),
    await onTerminal('partner', 'list', '--tz', 'Asia/Kathmandu'),
    await onTerminal('--tz', 'Asia/Kathmandu', 'partner', 'list'),
  ]
  expect(machine.out).toMatch(/ \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+07:00$/m)
  expect(behind.out).toMatch(/ \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+05:45$/m)
  expect(before.out).toBe(behind.out)
})

it('has ISO 8601 in UTC in JSON, whatever the zone is', async () => {
  await onTerminal('partner', 'create', '--name', 'Acme')
  const { out } = await onTerminal('partner', 'list', '--json', '--tz', 'Asia/Kathmandu')
  expect(JSON.parse(out)).toMatchObject([{ createdAt: expect.stringMatching(/^\d{4}-.*T.*\.\d{3}Z$/) }])
})

it('reads a time without an offset in the zone that it writes, also when --tz stands behind it', async () => {
  await onTerminal('partner', 'create', '--name', 'Acme')
  const { out } = await onTerminal('audit', '--tz', 'Asia/Kathmandu')
  const [, at = ''] = /(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\+05:45/.exec(out) ?? []
  const found = async (...options: string[]) =>
    (await onTerminal('audit', '--since', ...options)).out.includes('partner.create')
  expect(await found(at, '--tz', 'Asia/Kathmandu')).toBe(true)
  expect(await found(`${at}+05:45`)).toBe(true)
  // The same digits are an hour and a quarter earlier in Vietnam, and later in London.
  expect(await found(at)).toBe(true)
  expect(await found(at, '--tz', 'Europe/London')).toBe(false)
  expect(await found(at, '--json', '--tz', 'Europe/London')).toBe(false)
})

it('refuses what is no zone', async () => {
  const { err, code } = await onTerminal('partner', 'list', '--tz', '+07:00')
  expect(err).toContain('Give a name of the time zone database, as Asia/Ho_Chi_Minh or UTC.')
  expect(code).toBe(2)
})
