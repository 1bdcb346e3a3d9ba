import { expect, it } from 'vitest'
import { byPartner } from '../../../../server/security/actor.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { AT, createShop } from '../shop.ts'
import type { Opened, OpenStorage } from '../storage-contract.ts'

/** A listener on one storage, and another process that writes to the same data. */
async function opened({ storage, openOther, passTime }: Opened) {
  const other = await openOther()
  const shop = createShop(other)
  const clientId = await shop.partner()
  const speaker = await shop.speaker(clientId)
  const told: string[] = []
  const unsubscribe = storage.changes((change) => told.push(change))
  const toldNow = async () => {
    await passTime()
    return told.splice(0)
  }
  return { other, shop, clientId, speaker, unsubscribe, toldNow }
}

export function changesContract(open: OpenStorage) {
  it('tells each request of the command line that another process has written', async () => {
    const { other, speaker, toldNow } = await opened(await open())
    const { serial } = speaker
    await other.devices.askIdentify(OPERATOR, serial, AT)
    expect(await toldNow()).toEqual(['requests'])
    await other.settings.change(OPERATOR, serial, { volume: 20, lang: 'vi' }, AT)
    expect(await toldNow()).toEqual(['requests'])
    await other.devices.revoke(OPERATOR, serial, AT)
    expect(await toldNow()).toEqual(['requests'])
    expect(await toldNow()).toEqual([])
  })

  it('tells when a partner of another process is no longer good', async () => {
    const { other, clientId, toldNow } = await opened(await open())
    await other.partners.disable(OPERATOR, clientId, AT)
    expect(await toldNow()).toEqual(['grants'])
  })

  it('tells nothing of payments, of registrations and of the changes of a partner', async () => {
    const { other, shop, clientId, speaker, toldNow } = await opened(await open())
    await shop.pay(clientId)
    await shop.speaker(clientId)
    await other.settings.change(byPartner(clientId), speaker.serial, { volume: 10, lang: 'vi' }, AT)
    expect(await toldNow()).toEqual([])
  })

  it('tells nothing from before, and nothing after the listener has ended', async () => {
    const { other, speaker, unsubscribe, toldNow } = await opened(await open())
    expect(await toldNow()).toEqual([])
    unsubscribe()
    await other.devices.askIdentify(OPERATOR, speaker.serial, AT)
    expect(await toldNow()).toEqual([])
  })
}
