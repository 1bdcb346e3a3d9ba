import { expect, it } from 'vitest'
import { statementExamples, statementXml } from '../../../../server/http/openapi/examples/statements.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { createTestApi } from '../../../support/api.ts'
import { LOTUS } from '../../../support/statements/banks.ts'

const BASE = '/api/v1/partner'
const XML = { 'Content-Type': 'application/xml' }
const CSV = { 'Content-Type': 'text/csv; charset=utf-8' }

async function world() {
  const api = createTestApi()
  const partner = await api.partner()
  const { accessToken } = Object(
    (
      await api.request('POST', `${BASE}/auth/token`, {
        body: { clientId: partner.clientId, clientSecret: partner.clientSecret },
      })
    ).body,
  )
  const send = (
    method: string,
    path: string,
    more: { body?: unknown; headers?: Record<string, string> } = {},
  ) => api.request(method, `${BASE}${path}`, { token: String(accessToken), ...more })
  return { api, partner, send }
}

it('imports a statement, and shows it, its rows and its day', async () => {
  const { send } = await world()
  const imported = await send('POST', '/statement', { body: statementXml, headers: XML })
  expect(imported.status).toBe(201)
  const { id, ...statement } = Object(imported.body)
  const example = statementExamples.getStatement.answer.balanced.value
  // Nobody has paid: the row of the example is of the bank alone.
  expect(Object.keys(Object(imported.body))).toEqual(Object.keys(example))
  expect(statement).toMatchObject({
    ...{ account: example.account, sha256: example.sha256, rows: 1, opening: '1000000', closing: '1050000' },
    ...{ balanced: false, unbalanced: ['bank_only'] },
  })
  expect(await send('POST', '/statement', { body: statementXml, headers: XML })).toMatchObject({
    status: 409,
    body: { code: 40910, error: 'STATEMENT_KNOWN', details: [{ field: 'id', issue: id }] },
  })
  expect((await send('GET', '/statement')).body).toMatchObject({ data: [{ id }], next: null })
  expect((await send('GET', `/statement/${id}`)).body).toMatchObject({ id, state: 'open' })
  const rows = await send('GET', `/statement/${id}/rows?bucket=bank_only`)
  expect(rows.body).toMatchObject({ data: [{ n: 1, amount: '50000', bucket: 'bank_only', paymentId: null }] })
  expect((await send('GET', `/statement/${id}/rows?bucket=matched`)).body).toEqual({ data: [], next: null })
  const file = await send('GET', `/statement/${id}/rows`, { headers: { Accept: 'text/csv' } })
  expect(file.text.split('\r\n')).toEqual([
    expect.stringMatching(/^n,date,at,/),
    expect.stringMatching(/^1,2026-11-20,2026-11-20T10:15:30.000\+07:00,credit,50000,FT26324000123456,/),
    '# rows,1',
    '',
  ])
  const day = await send('GET', '/payment/reconciliation?date=2026-11-20')
  expect(day.body).toMatchObject({ date: '2026-11-20', data: [{ statements: [id], balanced: false }] })
  const dayFile = await send('GET', '/payment/reconciliation?date=2026-11-20', {
    headers: { Accept: 'text/csv' },
  })
  expect(dayFile.text.trimEnd().split('\r\n').at(-1)).toBe('# rows,8')
  expect((await send('GET', '/statement/none')).body).toMatchObject({ code: 40406 })
  expect((await send('GET', '/statement/none/rows')).body).toMatchObject({ code: 40406 })
})

it('reads CSV by a saved profile, and says what it can not read', async () => {
  const { api, send } = await world()
  const { profile } = LOTUS
  if (!profile) throw new Error('the bank has a profile')
  await api.storage.statements.saveProfile(OPERATOR, { name: 'lotus', profile, updatedAt: 0 })
  const at = Date.parse('2026-11-20T03:00:00Z')
  const bytes = LOTUS.write([{ at, amount: 1_000, direction: 'credit', reference: 'FT1', text: 'x' }], 5)
  const post = (query: string, body: unknown, headers: Record<string, string> = CSV) =>
    send('POST', `/statement?${query}`, { body, headers })
  expect((await post('account=123456&profile=lotus', bytes)).body).toMatchObject({
    profile: 'lotus',
    closing: '1005',
  })
  const wrong: [answer: ReturnType<typeof post>, code: number, detail: string][] = [
    [post('account=123456&profile=lily', bytes), 40001, 'profile'],
    [post('profile=lotus', bytes), 40001, 'account'],
    [post('account=123456', bytes), 40022, 'line 1'],
    [post('account=123456&profile=lotus', 'Ngày GD\n'), 40022, 'line 4'],
    [post('account=123456', '<x/>', XML), 40022, 'line 1'],
  ]
  for (const [answer, code, field] of wrong)
    expect((await answer).body).toMatchObject({ code, details: [{ field }] })
  expect((await post('account=123456', '{}', { 'Content-Type': 'application/json' })).body).toMatchObject({
    code: 41500,
  })
  const large = { ...XML, 'Content-Length': String(21 * 1024 * 1024) }
  expect((await post('account=123456', '<x/>', large)).body).toMatchObject({ code: 41300 })
})
