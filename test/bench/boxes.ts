import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPartner } from '../../server/partners/manage-partners.ts'
import { systemClock } from '../../server/platform/clock.ts'
import { createRandomIds } from '../../server/platform/ids.ts'
import { createVault } from '../../server/security/vault.ts'
import { openSqliteStorage } from '../../server/storage/sqlite/storage.ts'
import { mintBox, PASSWORD } from '../server/boxes/mint.ts'
import { OPERATOR } from '../support/actors.ts'
import { storageOptions } from '../support/storage-options.ts'
import { MASTER_KEY, openMarketIn } from './parts/market.ts'
import { openLine, plainConnect } from './parts/mqtt/line.ts'
import { type Figure, kilobytes, perSecond } from './parts/table.ts'
import { CONNECTING, connectAll } from './speakers.ts'

const BOXES = 10_000

/** Connects 10,000 boxes of the profile `clip-numbers` until each is born, and measures the hub's memory per box. */
export async function benchBoxes(): Promise<Figure[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'soundbox-bench-'))
  const serials = Array.from({ length: BOXES }, (_, number) => `BENCH-${number}`)
  try {
    const partner = await fill(dataDir, serials)
    const market = await openMarketIn(dataDir, partner, [], { env: { HUB_BOX_PORT: '0' } })
    try {
      const { box } = Object(JSON.parse(readFileSync(join(dataDir, 'hub.json'), 'utf8')))
      const boxes = serials.map((serial) => () => {
        const login = { username: serial, password: Buffer.from(PASSWORD) }
        return openLine(String(box), { ...plainConnect(serial), ...login }, `speakers/${serial}/cmd`, {})
      })
      const connected = await connectAll(market, boxes, CONNECTING.settleMs)
      const alone = { peer: '', peerValue: '', ratio: '' }
      const kept = (what: string, bytes: number) => ({
        ...{ what: `${what} for each of ${BOXES} idle boxes`, value: kilobytes(bytes), goal: 'under 20 kB' },
        ...alone,
      })
      return [
        { what: `boxes connected, to ${BOXES}`, value: perSecond(connected.perSecond), ...alone },
        kept('live memory', connected.live),
        kept('resident memory', connected.resident),
      ]
    } finally {
      await market.stop()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function fill(dataDir: string, serials: readonly string[]) {
  const storage = openSqliteStorage(
    join(dataDir, 'hub.db'),
    storageOptions({ vault: createVault(MASTER_KEY) }),
  )
  const [clock, ids] = [systemClock, createRandomIds()]
  const partner = await createPartner({ by: OPERATOR, partners: storage.partners, clock, ids }, 'Bench')
  await Promise.all(serials.map((serial) => mintBox(storage, 'clip-numbers', { serial, at: clock.now() })))
  storage.close()
  return partner
}
