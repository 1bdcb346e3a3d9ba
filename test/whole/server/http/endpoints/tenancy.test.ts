import { describe, expect, it } from 'vitest'
import { type Answer, createTestApi } from '../../../../support/api.ts'
import { withFile } from '../../../../support/folder.ts'
import { OPERATIONS, THINGS, type Thing } from './tenancy-operations.ts'
import { NOBODYS, type TenancyWorld, tenancyWorld } from './tenancy-world.ts'

const matrix = Object.entries(OPERATIONS).flatMap(([operation, { names }]) =>
  names.map((thing) => ({ operation, thing })),
)
const byPartners = Object.keys(OPERATIONS).filter((operation) => !operation.includes('/auth/'))

/** The owner's value of a thing; for a token the other kind, because the right kind would authenticate as the owner. */
function owners({ owner }: TenancyWorld, thing: Thing): string {
  if (thing === 'bearer') return owner.refreshToken
  return thing === 'refreshToken' ? owner.bearer : owner[thing]
}

/** A response without its changing values and without the requested name. */
function looks({ status, headers, body }: Answer, asked = 'nothing'): string {
  const shown = JSON.stringify({ status, headers: [...headers].sort(), body }).replaceAll(asked, 'ASKED')
  return shown
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'TIME')
    .replaceAll(/sbc_[0-9a-f]{18}/g, 'CLIENT')
    .replaceAll(/evt_[0-9A-Z]{26}|\b\d{16}\b/g, 'EVENT')
    .replaceAll(/wh_[0-9A-Z]{26}/g, 'WEBHOOK')
    .replaceAll(/whsec_[A-Za-z0-9+/]{43}=/g, 'SECRET')
    .replaceAll(/r=\d+/g, 'r=LEFT')
}

const onEnd = withFile()

/** Worlds are expensive: one serves until a request has succeeded in it. */
let standing: Promise<TenancyWorld> | undefined
async function inWorld<T extends { status: number }>(act: (there: TenancyWorld) => Promise<T>): Promise<T> {
  standing ??= tenancyWorld(onEnd)
  const answer = await act(await standing)
  if (answer.status < 400) standing = undefined
  return answer
}

describe('the matrix', () => {
  it('has a row for every operation of the API, and uses every thing', async () => {
    const { body } = await createTestApi().request('GET', '/openapi.json')
    const described = Object.entries(Object(body).paths).flatMap(([path, item]) =>
      Object.keys(Object(item)).map((method) => `${method} ${path.replace('/api/v1', '')}`),
    )
    expect(Object.keys(OPERATIONS).sort()).toEqual(described.sort())
    expect(new Set(matrix.map(({ thing }) => thing))).toEqual(new Set(THINGS))
  })

  it.each(Object.keys(OPERATIONS))(
    'is valid: with its own things the stranger succeeds at %s',
    async (operation) => {
      const answer = await inWorld(({ ask }) => ask(operation))
      expect([200, 201, 202, 204], JSON.stringify(answer.body)).toContain(answer.status)
    },
  )
})

describe("another partner's thing looks exactly like one that does not exist, and stays unchanged", () => {
  it.each(matrix)('$operation with a foreign $thing', async ({ operation, thing }) => {
    let named = ''
    const foreign = await inWorld(async (there) => {
      named = owners(there, thing)
      const before = await there.traces()
      const answer = await there.ask(operation, { [thing]: named })
      expect(await there.traces()).toEqual(before)
      return answer
    })
    const unknown = await inWorld(({ ask }) => ask(operation, { [thing]: NOBODYS[thing] }))
    expect(looks(foreign, named)).toBe(looks(unknown, NOBODYS[thing]))
  })
})

it.each(byPartners)(
  'an access token is refused at %s under any other client id, whether that exists or not',
  async (operation) => {
    await inWorld(async ({ owner: { bearer }, ask, traces }) => {
      const before = await traces()
      const somebody = await ask(operation, { bearer })
      const nobody = await ask(operation, { bearer, 'x-client-id': NOBODYS['x-client-id'] })
      expect(somebody).toMatchObject({ status: 401, body: { code: 40105 } })
      expect(looks(somebody)).toBe(looks(nobody))
      expect(await traces()).toEqual(before)
      return somebody
    })
  },
)
