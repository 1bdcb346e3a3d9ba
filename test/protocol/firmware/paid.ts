import { waitUntil } from '../../support/wait.ts'
import type { openShopAt } from '../../whole/protocol/c/shop.ts'
import type { TestDevice } from './device.ts'

/** What has become of a payment. */
export interface Outcome {
  /** How often its sentence has begun. */
  spoken: number
  /** Of its announcement, at the hub. */
  stage: string | undefined
  /** Whether the device shows a notice of missed payments. */
  isNoticed: boolean
}

const OVER = ['played', 'failed', 'expired', 'suppressed']
/** A hub looks at most so often for a payment, and a dead line takes some of this to be found. */
const LOOK_EVERY_MS = 500

/**
 * Waits until a payment has its last stage, for as long as it may be spoken and a line needs to come back. Each payment of
 * a test has its own amount.
 */
export async function outcomeOf(
  shop: Awaited<ReturnType<typeof openShopAt>>,
  speaker: TestDevice,
  { ftCode, amount }: { ftCode: string; amount: string },
): Promise<Outcome> {
  let stage: string | undefined
  let lookAt = 0
  await waitUntil(async () => {
    if (performance.now() < lookAt) return false
    lookAt = performance.now() + LOOK_EVERY_MS
    stage = await shop.stageOf(ftCode)
    return stage !== undefined && OVER.includes(stage)
  }, 400_000)
  const spoken = speaker.all('announce').filter((line) => line.amount === amount).length
  return { spoken, stage, isNoticed: speaker.all('missed').length > 0 }
}
