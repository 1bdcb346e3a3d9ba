import { type Update, update } from '../../../protocol/messages/update.ts'
import type { FirmwareOffer, MaintenanceCap } from '../../devices/maintenance.ts'
import { sb1 } from '../../dialects/sb1/index.ts'
import { wrongUsage } from './command-parts.ts'
import { boxRefusal, unknown } from './device.ts'
import { linewise, type Outcome, outcome } from './output.ts'
import type { Workspace } from './workspace.ts'

type Gives = Pick<Workspace, 'by' | 'storage' | 'clock' | 'ids'>
type Answer = { isAble: boolean } | undefined

const BACK_UP =
  'Make a backup now: one from before cannot admit the devices once they have confirmed their new keys.'

/** Gives devices their next keys. Nobody sees them: a device gets its key from the running hub. */
export function deviceRotate(
  { by, storage, clock, ids }: Gives,
  serials: readonly string[],
): Promise<Outcome> {
  const rotate = (serial: string) => {
    const key = ids.deviceKey()
    return storage.maintenance.rotate(by, serial, { key, loginHash: sb1.loginHash(key) }, clock.now())
  }
  return toEach(storage, serials, {
    ...{ act: rotate, field: 'rotating', what: 'a new key', cap: 'rekey', end: BACK_UP },
  })
}

export interface DeviceUpdateOptions extends Partial<Omit<Update, 'size'>> {
  size?: number
  withdraw?: true
}

/** What the options offer; undefined withdraws an offer. Throws when one is missing or does not fit. */
export function firmwareOffer({ withdraw, ...given }: DeviceUpdateOptions): FirmwareOffer | undefined {
  if (withdraw) return undefined
  const offer = update.safeParse(given)
  if (offer.success) return offer.data
  const fields = [...new Set(offer.error.issues.map(({ path }) => `--${path.join('.')}`))]
  throw wrongUsage(
    `missing or wrong: ${fields.join(', ')}; sb/1 9 has the limits, --sha256 and --sig are base64url`,
  )
}

/** Offers firmware to devices; undefined withdraws the offer. */
export function deviceUpdate(
  { by, storage, clock }: Gives,
  serials: readonly string[],
  firmware: FirmwareOffer | undefined,
): Promise<Outcome> {
  return toEach(storage, serials, {
    act: (serial) => storage.maintenance.offer(by, serial, firmware, clock.now()),
    ...{ field: 'offered', what: firmware ? `firmware ${firmware.fw}` : 'no offer', cap: 'update' },
    end: 'hub device show tells what a device does with it.',
  })
}

interface Giving {
  act: (serial: string) => Promise<Answer>
  /** The field of the JSON that says whether the device was there. */
  field: string
  what: string
  cap: MaintenanceCap
  end: string
}

/** Acts on each device, also after one that does not exist. */
async function toEach(
  storage: Pick<Gives['storage'], 'lists'>,
  serials: readonly string[],
  { act, field, what, cap, end }: Giving,
): Promise<Outcome> {
  const items: object[] = []
  const lines: string[] = []
  let areAllGiven = true
  for (const serial of serials) {
    const unable = await boxRefusal({ storage }, serial, `take ${what}`)
    if (unable !== undefined) {
      areAllGiven = false
      items.push({ serial, [field]: false, able: false })
      lines.push(unable)
      continue
    }
    const answer = await act(serial)
    areAllGiven &&= answer !== undefined
    items.push({ serial, [field]: answer !== undefined, able: answer?.isAble ?? null })
    const doubt = `; its last birth does not say that it can: no ${cap} in its caps`
    lines.push(answer ? `Device ${serial} gets ${what}${answer.isAble ? '' : doubt}.` : unknown(serial))
  }
  return linewise(outcome(areAllGiven, items, ...lines, end))
}
