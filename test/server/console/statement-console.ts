import { expect } from 'vitest'
import { OPERATOR } from '../../support/actors.ts'
import { LOTUS, type Movement } from '../../support/statements/banks.ts'
import { ACCOUNT, HOSTILE, NOTICE, shopConsole } from './shop.ts'

export const AT = Date.parse('2026-11-20T03:00:00Z')
export const MINUTE_MS = 60_000
const FILE_NAME = `sao kê ${HOSTILE.replaceAll('"', '')}.csv`
const SECRET_TEXT = `${HOSTILE} ${NOTICE}`

export const row = (change: Partial<Movement> = {}): Movement => ({
  ...{ at: AT, amount: 50_000, direction: 'credit', reference: '', text: SECRET_TEXT },
  ...change,
})

/** What the bank has: a row of each kind. */
export const MOVEMENTS = [
  row({ reference: 'FT1', amount: 1_000 }),
  row({ reference: 'FT2', amount: 2_500 }),
  row({ reference: 'FT9', amount: 9_000 }),
  row({ amount: 50_000 }),
  row({ amount: 700, direction: 'debit' }),
]

export function fileOf(
  bytes: Uint8Array<ArrayBuffer>,
  fields: Record<string, string> = {},
  name = FILE_NAME,
) {
  const form = new FormData()
  for (const [key, value] of Object.entries({
    partner: 'sbc_1',
    account: ACCOUNT,
    profile: 'lotus',
    ...fields,
  }))
    form.set(key, value)
  form.set('file', new File([bytes], name))
  return form
}

export const lotus = (movements: readonly Movement[], opening = 0) =>
  new Uint8Array(LOTUS.write(movements, opening))

/** A shop with payments, and a profile of its bank. */
export async function statementConsole() {
  const world = await shopConsole()
  const { storage, pay, logIn } = world
  if (LOTUS.profile)
    await storage.statements.saveProfile(OPERATOR, { name: 'lotus', profile: LOTUS.profile, updatedAt: AT })
  const paid = (ftCode: string, amount: string, minutes: number) => {
    const at = AT + minutes * MINUTE_MS
    return pay({ ftCode, amount, traceTransfer: '', paidAt: at, receivedAt: at })
  }
  await paid('FT1', '1000', 0)
  await paid('FT2', '2000', 1)
  const proposed = await paid('', '50000', 2)
  const hubOnly = await paid('FT4', '4000', 3)
  const operator = await logIn('operator', 'minh')
  const importFile = (form: FormData) => operator.post('/day/import', form)
  return { ...world, operator, importFile, proposed, hubOnly, viewer: await logIn('viewer') }
}

/** The same, with the statement imported. */
export async function importedConsole(movements: readonly Movement[] = MOVEMENTS) {
  const world = await statementConsole()
  const answer = await world.importFile(fileOf(lotus(movements)))
  expect(answer.status).toBe(303)
  const to = answer.headers.get('location') ?? ''
  const path = to.replace(/\?.*/, '')
  const id = path.split('/').at(-1) ?? ''
  const page = async (query = '') => (await world.viewer.get(`${path}${query}`)).text()
  return { ...world, to, path, id, page }
}

/** The text of a page, in one line. */
export const plain = (html: string) => html.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ')
